// Elements that show a shared run or chat on any page: `<rivulet-run src="…">` and `<rivulet-chat src="…">`, with the
// embedUrl of a link as their src. The server refuses pages whose origin the link does not name.
(() => {
  const scheme = /^https?:$/;

  class Embed extends HTMLElement {
    static observedAttributes = ['src'];

    connectedCallback() {
      this.show();
    }

    attributeChangedCallback() {
      if (this.isConnected) this.show();
    }

    show() {
      const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
      const frame = frameOf(this.getAttribute('src'));
      if (frame) frame.title = this.getAttribute('title') ?? this.constructor.label;
      root.replaceChildren(frame ?? complaint());
    }
  }

  function frameOf(src) {
    const address = URL.canParse(src ?? '') ? new URL(src) : null;
    if (!address || !scheme.test(address.protocol) || !address.pathname.endsWith('/embed.html')) return null;
    const frame = document.createElement('iframe');
    frame.referrerPolicy = 'no-referrer';
    frame.style.cssText =
      'display: block; width: 100%; height: 100%; min-height: 320px; border: 0; color-scheme: normal';
    frame.src = address.href;
    return frame;
  }

  function complaint() {
    const line = document.createElement('p');
    line.textContent = 'Nothing to show: src must be the embedUrl of a link to a run or chat.';
    return line;
  }

  const elements = { 'rivulet-run': 'A run of Rivulet', 'rivulet-chat': 'A chat of Rivulet' };
  for (const [name, label] of Object.entries(elements))
    if (!customElements.get(name))
      customElements.define(
        name,
        class extends Embed {
          static label = label;
        },
      );
})();
