// Builds the dashboard into dist/web: hashed files, no inline script, nothing from elsewhere.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

/** Writes the paths of all pages beside them: the server sends browsers that ask for one to it, and nobody else. */
const listPages: Plugin = {
  name: 'list-pages',
  apply: 'build',
  generateBundle() {
    const read = (name: string) => readFileSync(new URL(`pages/${name}.tsx`, import.meta.url), 'utf8');
    const registry = read('registry') + read('outside');
    const paths = [...registry.matchAll(/\bpath: '(\/[^']*)'/g)].map(([, path]) => path);
    if (paths.length === 0) this.error('pages/registry.tsx names no page');
    this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(paths) });
  },
};

const page = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [listPages],
  // Whatever NODE_ENV the build is started under, what it makes is for use.
  ...(command === 'build'
    ? { mode: 'production', define: { 'process.env.NODE_ENV': JSON.stringify('production') } }
    : {}),
  oxc: { jsx: { runtime: 'automatic', development: command !== 'build' } },
  build: {
    outDir: fileURLToPath(new URL('../../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rollupOptions: { input: [page('index.html'), page('embed.html')] },
  },
  server: {
    proxy: {
      '/api': { target: process.env.RIVULET_URL ?? 'http://127.0.0.1:7717', ws: true },
      '/openapi': { target: process.env.RIVULET_URL ?? 'http://127.0.0.1:7717' },
    },
  },
}));
