/** Looks of the report page: light, dark and print, wide and narrow; one family of colours. */

const LIGHT = `--ink: #1b1f24; --soft: #57606a; --line: #d8dee4; --ground: #fff; --panel: #f6f8fa;
  --kept: #11633f; --kept-ground: #e6f4ec; --broken: #b42318; --broken-ground: #fdecea;
  --inconclusive: #855500; --inconclusive-ground: #fdf3dc;
  --unobserved: #57606a; --unobserved-ground: #eef1f4;
  --first: #1558b0; --second: #b8480b; --third: #6d3fc0; --bad: #b42318;
  --plan: #3d7a5c; --plan-ground: #e3f1e9; --plot-background: #fff;
  --state-waiting: #8d9cb3; --state-starting: #5d8bd6; --state-running: #1558b0;
  --state-done: #1b7a4e; --state-stopped: #b8480b; --on-state: #fff;`;

const DARK = `--ink: #e6e9ed; --soft: #9aa4af; --line: #313843; --ground: #12151a; --panel: #1a1f26;
  --kept: #63d2a0; --kept-ground: #10301f; --broken: #ff938a; --broken-ground: #3d1714;
  --inconclusive: #ecbb5c; --inconclusive-ground: #38290a;
  --unobserved: #9aa4af; --unobserved-ground: #232931;
  --first: #7db2ff; --second: #ffab70; --third: #bb9bff; --bad: #ff938a;
  --plan: #6fc39a; --plan-ground: #143022; --plot-background: #12151a;
  --state-waiting: #66758c; --state-starting: #5d8bd6; --state-running: #7db2ff;
  --state-done: #4fc08d; --state-stopped: #ffab70; --on-state: #0c0e12;`;

export const PAGE_STYLE = `
:root { color-scheme: light dark; ${LIGHT} }
@media screen and (prefers-color-scheme: dark) { :root { ${DARK} } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1.5rem clamp(1rem, 2.5vw, 2rem) 4rem; max-width: 84rem;
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  color: var(--ink); background: var(--ground); overflow-wrap: anywhere; }
h1, h2, h3, h4, p, ul, dl, figure { margin: 0; }
h2 { font-size: 1.4rem; line-height: 1.25; margin-bottom: 1rem; }
h3 { font-size: 1.1rem; line-height: 1.3; } h4 { font-size: 1rem; }
h2 .soft { font-weight: 400; }
a { color: var(--first); text-underline-offset: .15em; }
code, pre { font: .9em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.soft { color: var(--soft); } .hidden, .skip:not(:focus) { position: absolute; width: 1px;
  height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
header { display: flex; flex-wrap: wrap; gap: 0 .8rem; align-items: baseline; margin-bottom: 1rem; }
h1 { font-size: 1rem; letter-spacing: .01em; } header p { color: var(--soft); }
.verdict { display: flex; flex-wrap: wrap; gap: .6rem 2rem; align-items: center;
  padding: 1.1rem 1.4rem; border-radius: 8px; border-left: 8px solid currentColor; }
.verdict > div { flex: 1 1 20rem; color: var(--ink); }
.word { font-size: 2.2rem; line-height: 1.1; font-weight: 750; letter-spacing: .01em;
  white-space: nowrap; }
.why { font-size: 1.1rem; font-weight: 600; }
.verdict.kept, .mark.kept { color: var(--kept); background: var(--kept-ground); }
.verdict.broken, .mark.broken { color: var(--broken); background: var(--broken-ground); }
.verdict.inconclusive, .mark.inconclusive { color: var(--inconclusive);
  background: var(--inconclusive-ground); }
.mark.unobserved { color: var(--unobserved); background: var(--unobserved-ground); }
.mark { display: inline-block; padding: .05rem .55rem; border-radius: 4px; font-weight: 600;
  font-size: .85rem; white-space: nowrap; }
.bar { display: flex; gap: 2px; height: .5rem; margin: .6rem 0 .5rem; }
.bar span { min-width: 4px; border-radius: 2px; }
.bar .kept { background: var(--kept); } .bar .broken { background: var(--broken); }
.bar .inconclusive { background: var(--inconclusive); }
.bar .unobserved { background: var(--soft); opacity: .45; }
.counts { display: flex; flex-wrap: wrap; gap: .1rem 1.4rem; padding: 0; list-style: none;
  font-variant-numeric: tabular-nums; }
.counts .kept span, .counts .kept b { color: var(--kept); }
.counts .broken span, .counts .broken b { color: var(--broken); }
.counts .inconclusive span, .counts .inconclusive b { color: var(--inconclusive); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr));
  gap: .6rem 1.5rem; margin: 1.1rem 0 0; padding: 0 0 1.3rem;
  border-bottom: 1px solid var(--line); }
.facts dt { color: var(--soft); font-size: .8rem; } .facts dd { margin: 0; }
.columns { margin-top: 1.6rem; }
nav ul { list-style: none; padding: 0; }
nav > ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
nav ul ul { display: none; } nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
main { min-width: 0; } .part { margin: 2.4rem 0 0; } .part > section { margin-top: 2rem; }
.promise { padding: 1.1rem 1.3rem; margin: 0 0 1.2rem; border: 1px solid var(--line);
  border-left-width: 5px; border-radius: 8px; }
.promise.broken { border-left-color: var(--broken); }
.promise.inconclusive { border-left-color: var(--inconclusive); }
.promise h3 { display: flex; flex-wrap: wrap; gap: .3rem .7rem; align-items: baseline;
  margin-bottom: .2rem; }
.summary { font-size: 1.1rem; font-weight: 600; margin: .5rem 0 .7rem; }
.evidence { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .15rem 1.2rem;
  margin: 0 0 .9rem; font-variant-numeric: tabular-nums; }
.evidence dt { color: var(--soft); }
.evidence dd { margin: 0; grid-column: 2; overflow-wrap: anywhere; }
.quote { background: var(--panel); border-radius: 6px; padding: .6rem .9rem; margin: 0 0 .7rem;
  font-size: .92rem; }
.quote pre { margin: .35rem 0 0; white-space: pre-wrap; max-height: 16rem; overflow: auto; }
.reasons li { margin-bottom: .5rem; } .reasons code { color: var(--soft); }
ul { padding-left: 1.2rem; }
.document > * { margin: 0 0 .7rem; max-width: 52rem; } .document h3 { margin-top: 1.4rem; }
.measured { list-style: none; padding: 0; font-variant-numeric: tabular-nums; }
.measured li { padding: .15rem 0; white-space: pre-wrap; }
.figures { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.6rem 1.4rem;
  margin-top: 1rem; }
.promise .figures { padding-top: 1rem; border-top: 1px solid var(--line); }
figcaption { margin: .1rem 0 .5rem; color: var(--soft); }
.plot { display: block; max-width: 100%; height: auto; overflow: visible; color: var(--ink); }
.plot text { white-space: pre; } .plot.wide { display: none; }
.plot.narrow { width: 100%; max-width: 30rem; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; list-style: none; padding: 0;
  margin: .3rem 0; font-size: .88rem; color: var(--soft); }
.sample { display: inline-block; width: 1.3em; height: .8em; margin-right: .45em;
  border-radius: 2px; vertical-align: -.05em; }
.sample.plan { background: var(--plan-ground); border: 1px solid var(--plan); }
.sample.state-waiting { background: var(--state-waiting); }
.sample.state-starting { background: var(--state-starting); }
.sample.state-running { background: var(--state-running); }
.sample.state-done { background: var(--state-done); }
.sample.state-stopped { background: var(--state-stopped); }
.sample.pale { background: var(--state-running); opacity: .3; }
.sample.tick { width: 2px; margin: 0 .8em 0 .4em; background: var(--ink); }
.sample.symbol { width: auto; height: auto; color: var(--ink); }
.sample.failed::before { content: "✕"; } .sample.slow::before { content: "◇"; }
.sample.accepted::before { content: "●"; color: var(--first); }
.sample.off::before { content: "◯"; color: var(--bad); font-weight: 700; }
details { margin-top: .4rem; } summary { cursor: pointer; color: var(--soft); width: fit-content; }
.scroll { overflow-x: auto; margin-top: .4rem; overflow-wrap: normal; }
.scroll th { white-space: nowrap; } .scroll td { min-width: 4.5rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .3rem 1rem .3rem 0; font-weight: 400; }
thead th { color: var(--soft); font-size: .85rem; border-bottom: 1px solid var(--line); }
tbody tr + tr > * { border-top: 1px solid var(--line); }
.data table { font-size: .88rem; }
.data td, .data th { white-space: nowrap; padding-right: 1.4rem; }
.matrix td, .matrix th, .runs td, .runs th { white-space: nowrap; }
.matrix td p { white-space: normal; min-width: 12rem; max-width: 24rem; font-size: .9rem; }
.catalogue { width: 100%; } .catalogue tbody { border-bottom: 2px solid var(--line); }
.catalogue tbody th { white-space: nowrap; }
:focus-visible { outline: 2px solid var(--first); outline-offset: 2px; }
@media (min-width: 46rem) {
  .plot.wide { display: block; } .plot.narrow { display: none; }
}
@media (min-width: 64rem) { .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  figure.whole { grid-column: 1 / -1; } figure.row-start { grid-column-start: 1; } }
@media (min-width: 78rem) {
  .columns { display: grid; grid-template-columns: 11.5rem minmax(0, 1fr); gap: 2.5rem; }
  nav > ul { position: sticky; top: 1.5rem; display: block; } nav li { padding: .22rem 0; }
  nav ul ul { display: block; padding-left: .9rem; font-size: .93rem; }
  main > .part:first-child { margin-top: 0; }
}
@media screen and (max-width: 46rem) {
  .word { font-size: 1.8rem; } .promise, .verdict { padding: .9rem 1rem; }
  .evidence { grid-template-columns: fit-content(38%) 1fr; column-gap: .9rem; }
  .catalogue, .catalogue tbody, .catalogue tr, .catalogue th, .catalogue td { display: block; }
  .catalogue thead { display: none; } .catalogue tr { padding: .5rem 0; }
  .catalogue tbody tr > * { border: 0; padding: .1rem 0; }
  .catalogue tbody tr + tr { border-top: 1px solid var(--line); }
}
@page { margin: 14mm 12mm; }
@media print {
  body { font-size: 9.5pt; padding: 0; max-width: none; } .part { margin-top: 1.4rem; }
  nav, .data, .skip { display: none; }
  .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  figure.whole { grid-column: 1 / -1; }
  .columns { display: block; } .plot.wide { display: block; } .plot.narrow { display: none; }
  .verdict, .mark, .bar span, .quote, .sample { -webkit-print-color-adjust: exact;
    print-color-adjust: exact; }
  figure, .quote, tr { break-inside: avoid; } h2, h3, h4 { break-after: avoid; }
  .quote pre { max-height: none; } .catalogue { font-size: 9pt; }
}
`;
