// Shapes of keys and tokens by vendor. Each begins with what the vendor puts there, so that a text is read once.

/**
 * What follows the boundary of a token. Each shape is read at one place of a text and has no part that could be read in
 * two ways: an unbounded repetition stands at its end only.
 */
export interface Shape {
  label: string;
  /** Source of a regular expression. */
  source: string;
  /** The token must look drawn by lot: its beginning is also that of ordinary words. */
  drawn?: true;
}

const word = '[A-Za-z0-9]';
const wide = '[A-Za-z0-9_-]';
const hex = '[a-f0-9]';
const shape = (label: string, ...sources: string[]): Shape => ({ label, source: sources.join('|') });

const ai: Shape[] = [
  shape('Anthropic key', `sk-ant-${wide}{16,}`),
  shape('OpenRouter key', `sk-or-${wide}{16,}`),
  shape('Langfuse key', `[ps]k-lf-${wide}{16,}`),
  shape('OpenAI key', `sk-(?:proj|svcacct|admin|None)-${wide}{16,}`, `sess-${word}{36,}`),
  { ...shape('API key', `sk-${wide}{16,}`), drawn: true },
  shape('Google API key', `AIza${wide}{30,}`),
  shape('Hugging Face token', `hf_${word}{20,}`, `api_org_${word}{30,}`),
  shape('Groq key', `gsk_${word}{20,}`),
  shape('xAI key', `xai-${word}{20,}`),
  shape('Perplexity key', `pplx-${word}{20,}`),
  shape('Replicate token', `r8_${word}{20,}`),
  shape('NVIDIA key', `nvapi-${wide}{20,}`),
  shape('Together key', `tgp_v1_${wide}{20,}`),
  shape('Fireworks key', `fw_${word}{20,}`),
  shape('Cerebras key', `csk-${word}{20,}`),
  shape('Tavily key', `tvly-${wide}{16,}`),
  shape('LangSmith key', `lsv2_(?:pt|sk)_${wide}{20,}`),
  shape('Pinecone key', `pcsk_${wide}{20,}`),
  { ...shape('Voyage key', `pa-${wide}{30,}`), drawn: true },
  shape('ElevenLabs key', `sk_${hex}{40,}`),
];

const clouds: Shape[] = [
  shape('AWS access key', '(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA|ANVA|AIPA)[A-Z0-9]{16}'),
  shape('AWS Bedrock key', 'ABSK[A-Za-z0-9+/]{60,}'),
  shape('Google OAuth token', `ya29\\.${wide}{20,}`, `GOCSPX-${wide}{20,}`, `1//0${wide}{30,}`),
  shape('Azure client secret', `${wide}{3}8Q~[A-Za-z0-9_.~-]{31,34}`),
  shape('Alibaba Cloud key', `LTAI${word}{17,21}`),
  shape('Tencent Cloud key', `AKID${word}{32}`),
  shape('Yandex Cloud key', `AQVN${wide}{35,}`, `y0_${wide}{50,}`),
  shape('DigitalOcean token', `do[opr]_v1_${hex}{40,}`),
  shape('Heroku key', `HRKU-${wide}{30,}`),
  shape('Fly.io token', `fo1_${wide}{30,}`, `fm[12][ar]?_[A-Za-z0-9+/=_-]{40,}`),
  shape('Vercel token', `vc[piark]_${word}{20,}`),
  shape('Netlify token', `nfp_${word}{30,}`),
  shape('Supabase key', `sbp_${hex}{30,}`, `sb_secret_${wide}{16,}`),
  shape('Cloudflare key', `v1\\.0-${hex}{24}-${hex}{100,}`, `cf(?:ut|at|k)_${word}{30,}`),
  shape('PlanetScale token', `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{20,}`),
  shape('Databricks token', `dapi${hex}{32}`),
  shape('Terraform token', `${word}{14}\\.atlasv1\\.${wide}{50,}`),
  shape('Vault token', `hv[sbr]\\.${wide}{20,}`),
  shape('Doppler token', `dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{30,}`),
  shape('Pulumi token', `pul-${hex}{40}`),
];

const code: Shape[] = [
  shape('GitHub token', `gh[pousr]_${word}{30,}`, `github_pat_[A-Za-z0-9_]{22,}`),
  shape('GitLab token', `gl(?:pat|dt|ptt|rt|cbt|soat|ft|imt|agent|oas|ffct)-${wide}{18,}`, `GR1348941${wide}{20}`),
  shape('Bitbucket token', `AT(?:BB|CTT3|ATT3)[A-Za-z0-9_=-]{24,}`),
  shape('npm token', `npm_${word}{30,}`),
  shape('PyPI token', `pypi-${wide}{40,}`),
  shape('RubyGems key', `rubygems_${hex}{40,}`),
  shape('crates.io token', `cio${word}{32}`),
  shape('Docker token', `dckr_(?:pat|oat)_${wide}{20,}`),
  shape('JFrog token', `AKCp${word}{60,}`, `cmVmdGtuOj${wide}{50,}`),
  shape('Clojars token', `CLOJARS_${word}{50,}`),
  shape('CircleCI token', `CCI(?:PAT|PRJ)_[A-Za-z0-9_]{30,}`),
  shape('Buildkite token', `bk[ua]a_${word}{30,}`),
  shape('SonarQube token', `sq[pua]_${word}{30,}`),
  shape('Sourcegraph token', `sgp_(?:${word}{8,20}_)?${hex}{30,}`),
  shape('Postman key', `PMAK-${hex}{24}-${hex}{30,}`),
  shape('Figma token', `figd_${wide}{30,}`),
  shape('Linear key', `lin_(?:api|oauth)_${word}{30,}`),
  shape('Notion token', `ntn_${word}{40,}`, `secret_${word}{43}`),
  shape('Airtable token', `pat${word}{14}\\.${hex}{50,}`),
  shape('Sentry token', `sntry[su]_[A-Za-z0-9+/=_-]{40,}`),
  shape('Grafana token', `gl(?:c|sa)_[A-Za-z0-9+/=_-]{30,}`),
  shape('New Relic key', `NR(?:AK|RA|II|JS|SP)-[A-Za-z0-9]{19,}`),
  shape('Dynatrace token', `dt0[a-z]\\d\\d\\.[A-Z0-9]{24}\\.[A-Z0-9]{60,}`),
  shape('HubSpot token', `pat-[a-z]{2}\\d-${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`),
  shape('Rivulet key', `rvt_${wide}{24,}`),
];

const commerce: Shape[] = [
  shape('Stripe key', `[sr]k_(?:live|test)_${word}{16,}`),
  shape('webhook secret', `whsec_[A-Za-z0-9+/=_-]{24,}`),
  shape('Square token', `sq0(?:atp|csp|idp)-${wide}{22,}`, `EAAA${wide}{56,}`),
  shape('PayPal token', `access_token\\$(?:production|sandbox)\\$${word}{16}\\$${hex}{32}`),
  shape('Shopify token', `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`),
  shape('Flutterwave key', `FLWSECK(?:_TEST)?-${wide}{12,}`),
  shape('Razorpay key', `rzp_(?:live|test)_${word}{14,}`),
  shape('EasyPost key', `EZ[AT]K${word}{54}`),
  shape('Shippo token', `shippo_(?:live|test)_${hex}{40}`),
  shape('Paddle key', `pdl_(?:live|sdbx)_apikey_[A-Za-z0-9_]{30,}`),
];

const talk: Shape[] = [
  shape('Slack token', `xox[a-z](?:\\.xox[a-z])?-${wide}{10,}`, `xapp-${wide}{16,}`),
  shape('Discord token', `[MNO]${wide}{22,27}\\.${wide}{6}\\.${wide}{27,}`),
  shape('Telegram bot token', `\\d{8,10}:${wide}{35}`),
  shape('Twilio key', `(?:SK|AC)${hex}{32}`),
  shape('SendGrid key', `SG\\.${wide}{16,32}\\.${wide}{16,}`),
  shape('Mailgun key', `key-${hex}{32}`),
  shape('Mailchimp key', `${hex}{32}-us\\d{1,2}`),
  shape('Brevo key', `x(?:key|smtp)sib-${hex}{50,128}-${wide}{10,}`),
  shape('MailerSend token', `mlsn\\.${hex}{50,}`),
  { ...shape('Resend key', `re_[A-Za-z0-9_]{24,}`), drawn: true },
  shape('Facebook token', `EAA[A-Za-z0-9]{60,}`),
  shape('X bearer token', `A{18,24}[A-Za-z0-9%]{40,}`),
  shape('Mapbox token', `sk\\.eyJ${wide}{20,512}\\.${wide}{16,}`),
  shape('1Password token', `ops_eyJ${wide}{40,}`),
  shape('age key', `AGE-SECRET-KEY-1[A-Z0-9]{50,}`),
  shape('wallet key', `[xyzt]prv${word}{100,}`),
];

export const shapes: readonly Shape[] = [...ai, ...clouds, ...code, ...commerce, ...talk];
