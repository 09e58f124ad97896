// Sends the state of the controls to the cell: 40 ms after the first of several changes, with the latest values.
const root = document.getElementById(id), inputs = [...root.querySelectorAll("input, select")];
let number = Date.now(), waiting = false;
const send = () => {
  waiting = false;
  window.gonb_comm?.send(address, JSON.stringify({ number, values: inputs.map((input) => input.value) }));
};
root.addEventListener("input", ({ target }) => {
  number++;
  if (target.type == "range") target.nextElementSibling.textContent = target.value;
  if (!waiting) setTimeout(send, 40);
  waiting = true;
});
// Keys here are not the notebook's.
root.addEventListener("keydown", (event) => event.stopPropagation());
// The kernel gives the page a gonb_comm when the cell asks for it, and a new one when the old one doesn't answer.
let last;
const greet = () => {
  const comm = window.gonb_comm;
  if (comm && comm !== last)
    comm._is_connected.then(() => {
      for (const input of inputs) input.disabled = false;
      send();
    }, () => {});
  last = comm;
  if (root.isConnected) setTimeout(greet, 200);
};
greet();
