// What stands around the page under test: opens its cells and measures it, one line for each frame that shows it. The
// page itself has no script and allows none.
const channels = (color) => color.match(/[\d.]+/g).slice(0, 3).map((value) => value / 255);
const luminance = (color) => {
  const linear = channels(color).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
// As WCAG 2.1 defines it.
const contrast = (one, other) => {
  const light = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light[0] + 0.05) / (light[1] + 0.05);
};

const measure = (frame) => {
  const page = frame.contentDocument, view = frame.contentWindow;
  for (const details of page.querySelectorAll("details")) details.open = true;
  const paper = (element) => {
    for (; element; element = element.parentElement) {
      const color = view.getComputedStyle(element).backgroundColor;
      if (!/, 0\)$/.test(color)) return color;
    }
    return "rgb(255, 255, 255)";
  };
  let texts = 0, least = 99, smallest = 99;
  const outside = [];
  for (const element of page.querySelectorAll("body *")) {
    const has_text = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const box = element.getBoundingClientRect(), svg = element.ownerSVGElement;
    if (!has_text || box.width === 0) continue;
    const style = view.getComputedStyle(element);
    ++texts;
    least = Math.min(least, contrast(svg ? style.fill : style.color, paper(element)));
    smallest = Math.min(smallest, parseFloat(style.fontSize) * (svg ? element.getScreenCTM().a : 1));
    const plot = svg ? svg.getBoundingClientRect() : null;
    const leaves_plot = plot && (box.right > plot.right + 1 || box.left < plot.left - 1);
    const leaves_window = box.right > view.innerWidth + 0.5 && !element.closest(".scroll");
    if (leaves_plot || leaves_window) outside.push(element.textContent.slice(0, 60).replaceAll(" ", "_"));
  }
  return [
    `window=${view.innerWidth}`,
    `content=${page.documentElement.scrollWidth}`,
    `texts=${texts}`,
    `contrast=${least.toFixed(2)}`,
    `font=${smallest.toFixed(2)}`,
    `outside=${outside.length}`,
    `loaded=${view.performance.getEntriesByType("resource").length}`,
    `paper=${view.getComputedStyle(page.body).backgroundColor.replaceAll(" ", "")}`,
    `where=${outside}`,
  ].join(" ");
};

addEventListener("load", () => {
  const lines = [...document.querySelectorAll("iframe")].map(measure);
  document.getElementById("measured").textContent = lines.join("\n");
});
