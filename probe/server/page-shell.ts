/** What all pages of the probe have in common: nothing on them comes from elsewhere. */

/** Texts are HTML. */
export interface PageParts {
  title: string;
  body: string;
  /** In the head, beside what each page has. */
  head?: string;
  script?: string;
}

/** `nonce` lets the page's own style and script through the content security policy. */
export function renderPage({ title, body, head, script }: PageParts, nonce: string): string {
  const scripted = script === undefined ? "" : `<script nonce="${nonce}">${script}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
${head ?? ""}<title>${title}</title>
<style nonce="${nonce}">${PAGE_STYLE}</style>
</head>
<body>
${body}
${scripted}</body>
</html>
`;
}

/** A page that is cut off must not go on looking well, so that it says since when. */
export const PAGE_SCRIPT = `
const lost = document.getElementById('lost');
const status = document.getElementById('status');
let heardAt = new Date();
let title = document.title;
const show = () => {
  lost.textContent = 'The probe has not answered since ' + heardAt.toISOString().slice(11, 19) +
    ' UTC; the data below is from then.';
  lost.hidden = false;
  document.title = 'Connection lost - plumbline probe';
};
const source = new EventSource('events');
source.onmessage = (event) => {
  const news = JSON.parse(event.data);
  status.innerHTML = news.html;
  title = news.title;
  document.title = title;
  heardAt = new Date();
  lost.hidden = true;
};
source.onerror = show;
setInterval(() => { if (new Date() - heardAt > 35000) show(); }, 5000);
`;

/** Looks of the status page: one file, no fonts or pictures from elsewhere. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1a1d21; --soft: #5a626c; --line: #d9dde2;
  --ground: #fff; --good: #13714c; --good-ground: #e7f5ee; --bad: #b3261e; --bad-ground: #fdeceb;
  --open: #6b7480; --open-ground: #eef0f3;
  --waiting: #a9bbd6; --starting: #6f94cf; --running: #1f5fbf; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a0a8b2; --line: #343a42;
  --ground: #14171b; --good: #5fd3a0; --good-ground: #12301f; --bad: #ff8f87;
  --bad-ground: #401816; --open: #a0a8b2; --open-ground: #23282f;
  --waiting: #4d607f; --starting: #4f7ac0; --running: #7fb0ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.25rem clamp(1rem, 3vw, 2.5rem); max-width: 90rem;
  font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); }
header { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; }
h1 { font-size: 1.1rem; margin: 0; } header p { margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 0; }
.verdict { margin: .9rem 0; padding: .8rem 1rem; border-left: 6px solid; border-radius: 4px; }
.verdict ul { margin: .3rem 0 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
.verdict li { color: var(--ink); margin-top: .5rem; }
.over { margin: .9rem 0; padding: .6rem 1rem; border-left: 6px solid var(--line); }
.over h2 { font-size: 1rem; color: var(--soft); } .over b { font-weight: 500; }
.over ul { margin: .3rem 0 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
.text { max-width: 50rem; } .text h1 { font-size: 1.6rem; }
.text pre { overflow-x: auto; padding: .6rem .8rem;
  background: var(--open-ground); border-radius: 4px; } .text pre code { overflow-wrap: normal; }
.verdict.good { color: var(--good); background: var(--good-ground); }
.verdict.bad, #lost { color: var(--bad); background: var(--bad-ground); }
.verdict.open { color: var(--open); background: var(--open-ground); }
#lost { padding: .8rem 1rem; margin: 0 0 1rem; font-weight: 600; }
nav { display: flex; gap: .6rem; margin: 0 0 .9rem; }
nav a { padding: .3rem .9rem; border: 1px solid var(--line); border-radius: 4px; }
a { color: var(--running); } span.bad { color: var(--bad); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .7rem 1rem .7rem 0; font-weight: 400; }
thead th { color: var(--soft); font-size: .85rem; padding-bottom: .2rem; white-space: nowrap; }
tbody tr { border-top: 1px solid var(--line); }
tbody th { font-weight: 600; font-size: 1.05rem; }
small { display: block; color: var(--soft); font-size: .85rem; font-weight: 400; }
code { font-size: .8rem; overflow-wrap: anywhere; }
.mark { display: inline-block; padding: 0 .5rem; border-radius: 3px; font-weight: 600; }
.mark.good { color: var(--good); background: var(--good-ground); }
.mark.bad { color: var(--bad); background: var(--bad-ground); }
.mark.open { color: var(--open); background: var(--open-ground); }
.stays, .now, .legend { list-style: none; margin: 0; padding: 0; }
.whole, .stays li, .now li { white-space: nowrap; } .stays b { font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: .9rem 0;
  color: var(--soft); font-size: .85rem; border-top: 1px solid var(--line); padding-top: .7rem; }
.key { display: inline-block; width: .7rem; height: .7rem; margin-right: .4rem; }
.key.dot { border-radius: 50%; width: .5rem; height: .5rem; }
svg { display: block; max-width: 100%; height: auto; } line { stroke: var(--line); }
svg text { fill: var(--soft); font-size: 10px; text-anchor: end; }
.accepted, .queued { fill: var(--waiting); }
.key.accepted, .key.queued { background: var(--waiting); }
.starting { fill: var(--starting); } .key.starting { background: var(--starting); }
.running { fill: var(--running); } .key.running { background: var(--running); }
svg .good { fill: var(--good); } .key.good { background: var(--good); }
svg .bad { fill: var(--bad); } .key.bad { background: var(--bad); }
svg .open, svg .unseen { fill: var(--open); } .key.open { background: var(--open); }
footer { color: var(--soft); font-size: .85rem; }
@media (max-width: 60rem) {
  thead { display: none; } table, tbody, tr, td, tbody th { display: block; }
  td, tbody th { padding: .25rem 0; } tbody tr { padding: .7rem 0; }
  .stays, .now { display: flex; flex-wrap: wrap; gap: 0 1rem; }
  svg { width: 100%; }
}`;
