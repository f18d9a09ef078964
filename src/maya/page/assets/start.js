// The data stands in the page, deflated; everything is drawn from it.
async function unpack() {
  const text = document.getElementById("data").textContent.trim();
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}
unpack().then((data) => {
  const main = document.getElementById("main");
  main.replaceChildren(...drawPage(data).flat(Infinity).filter(Boolean));
  watchPictures(main);
  document.documentElement.dataset.drawn = "yes";
}).catch((error) => {
  document.getElementById("loading").textContent = "This page could not be drawn: " + error.message;
  throw error;
});
