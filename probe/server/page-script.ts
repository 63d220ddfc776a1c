/** The status page's own script: it only replaces what the probe has rendered. */

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
