// The contrast of every text in the layout against the cloth below it (WCAG 2.2, 1.4.3): the lowest, and where it is.
// axe-core looks at no text inside an SVG.
() => {
  const part = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map((value) => part(value / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const found = [...document.querySelectorAll(".area text")].map((text) => {
    const area = text.closest(".area");
    const pair = [text, area.querySelector(".cloth")].map((each) => luminance(getComputedStyle(each).fill));
    const [dark, bright] = pair.sort((a, b) => a - b);
    return [(bright + 0.05) / (dark + 0.05), area.dataset.area, area.classList.contains("won")];
  });
  return found.sort((a, b) => a[0] - b[0])[0];
}
