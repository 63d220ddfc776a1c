/** The status page's own script: it only replaces what the probe has rendered. */

/** A page that is cut off must not go on looking well, so that it says since when. */
export const PAGE_SCRIPT = `
const lost = document.getElementById('lost');
const status = document.getElementById('status');
let toldAt = new Date();
let title = document.title;
const show = () => {
  lost.textContent = 'No word from the probe since ' + toldAt.toISOString().slice(11, 19) +
    ' UTC: what stands below is as old as that.';
  lost.hidden = false;
  document.title = 'NO WORD - plumbline probe';
};
const source = new EventSource('events');
source.onmessage = (event) => {
  const told = JSON.parse(event.data);
  status.innerHTML = told.html;
  title = told.title;
  document.title = title;
  toldAt = new Date();
  lost.hidden = true;
};
source.onerror = show;
setInterval(() => { if (new Date() - toldAt > 35000) show(); }, 5000);
`;
