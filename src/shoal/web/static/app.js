"use strict";
// What HTML cannot do by itself: dropping a file, the number beside the slider, and telling a screen reader what changed.

const byId = (id) => document.getElementById(id);

// ---- Upload: the file is the body of the request, streamed to the disk on the other side.
const drop = byId("drop");
if (drop) {
  const complain = (text) => {
    byId("upload-problem").textContent = text;
    byId("upload-problem").hidden = false;
    byId("sent").hidden = true;
  };
  const send = (file) => {
    byId("upload-problem").hidden = true;
    if (!file) return;
    if (file.size > Number(drop.dataset.most)) {
      complain(`${file.name} is larger than ${drop.dataset.mostWords}, the most this page takes.`);
      return;
    }
    const request = new XMLHttpRequest();
    request.open("POST", "/jobs");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
    byId("sent").hidden = false;
    request.upload.onprogress = (event) => { byId("sent").value = (100 * event.loaded) / Math.max(event.total, 1); };
    request.onload = () => {
      if (request.status === 201) window.location.assign(JSON.parse(request.responseText).go);
      else complain(request.responseText || "The file could not be uploaded.");
    };
    request.onerror = () => complain("The file could not be uploaded. Is shoal still running?");
    request.send(file);
  };
  byId("file").addEventListener("change", (event) => send(event.target.files[0]));
  drop.addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
      if (name === "drop") send(event.dataTransfer.files[0]);
    });
  }
}

// ---- Files beside the contacts go the same way; the page is loaded again when they are there.
document.addEventListener("change", (event) => {
  const input = event.target, file = input.files?.[0];
  if (!input.dataset.send || !file) return;
  const problem = byId(`problem-${input.id.replace("send-", "")}`);
  const complain = (text) => { problem.textContent = text; problem.hidden = false; };
  problem.hidden = true;
  fetch(input.dataset.send, { method: "POST", body: file, headers: { "Content-Type": "application/octet-stream", "X-File-Name": encodeURIComponent(file.name) } })
    .then(async (answer) => {
      if (answer.status !== 201) return complain((await answer.text()) || "The file could not be uploaded.");
      const go = (await answer.json()).go;
      window.location.assign(go);
      if (go.split("#")[0] === window.location.pathname) window.location.reload();
    })
    .catch(() => complain("The file could not be uploaded. Is shoal still running?"));
});

// ---- The slider says its number at once; the server says what it costs.
document.addEventListener("input", (event) => {
  if (event.target.id !== "k") return;
  byId("k-shown").textContent = event.target.value;
  event.target.setAttribute("aria-valuetext", `at least ${event.target.value} people`);
});

// ---- Parts that were replaced: say what is new, and keep the keyboard where it was.
let said = "";
let within = null;
const announce = (root) => {
  for (const element of root.querySelectorAll("[data-say]")) {
    if (element.dataset.say !== said) said = byId("say").textContent = element.dataset.say;
  }
};
document.addEventListener("htmx:beforeSwap", (event) => {
  const focused = document.activeElement;
  within = event.detail.target.contains(focused) && focused !== document.body ? event.detail.target.id : null;
});
document.addEventListener("htmx:afterSettle", (event) => {
  const part = byId(event.detail.target.id) || document;
  announce(part);
  if (within && document.activeElement === document.body) part.querySelector("h2")?.focus({ preventScroll: true });
});
for (const name of ["htmx:sendError", "htmx:responseError"]) {
  document.addEventListener(name, () => { byId("lost").hidden = false; });
}
