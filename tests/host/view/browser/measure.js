// What does not fit on the page that is shown: a list of sentences, empty when all is well. Evaluated by test_fit.py.
(least_px) => {
  const faults = [];
  const name = (node) => `${node.id || node.className.baseVal || node.className || node.tagName} "${node.textContent.slice(0, 40)}"`;
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push(`the page scrolls sideways: ${root.scrollWidth} > ${root.clientWidth}`);

  const hidden = (node) => !node.checkVisibility() || node.closest(".unseen, .skip, noscript, option");
  for (const node of document.querySelectorAll("body *:not(svg, svg *, script)")) {
    if (hidden(node)) continue;
    const box = node.getBoundingClientRect();
    if (box.width && (box.left < -0.5 || box.right > root.clientWidth + 0.5)) faults.push(`${name(node)} is beside the page`);
    const ownText = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!ownText || getComputedStyle(node).display === "inline") continue;
    if (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 2) {
      faults.push(`${name(node)} is cut off: ${node.scrollWidth}x${node.scrollHeight} in ${node.clientWidth}x${node.clientHeight}`);
    }
  }

  // The areas leave no hole, so one that the paytable does not have takes no place. GAP is between two neighbours.
  const GAP = 3;
  const whole = document.querySelector(".layout").viewBox.baseVal;
  const side = (cloth, name) => cloth[name].baseVal.value + GAP;
  const covered = [...document.querySelectorAll(".cloth")].reduce((sum, cloth) => sum + side(cloth, "width") * side(cloth, "height"), 0);
  if (Math.abs(covered / (whole.width * whole.height) - 1) > 0.001) faults.push(`the areas cover ${covered} of ${whole.width}x${whole.height}`);

  const inside = (box, room, slack) =>
    box.left >= room.left - slack && box.right <= room.right + slack && box.top >= room.top - slack && box.bottom <= room.bottom + slack;
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  // A text's box is as high as its line; what is drawn of it is less.
  const ink = (node) => {
    const box = node.getBoundingClientRect();
    const cut = node.tagName === "text" ? box.height * 0.18 : 0;
    return { left: box.left, right: box.right, top: box.top + cut, bottom: box.bottom - cut };
  };
  for (const area of document.querySelectorAll(".area")) {
    const room = area.querySelector(".cloth").getBoundingClientRect();
    const parts = [...area.querySelectorAll("text, .die")];
    const tick = area.querySelector(".tick rect").getBoundingClientRect();
    parts.forEach((part, index) => {
      const drawn = ink(part);
      if (!inside(drawn, room, 0)) faults.push(`${area.dataset.area}: ${name(part)} leaves its area`);
      for (const other of parts.slice(index + 1)) if (meet(drawn, ink(other))) faults.push(`${area.dataset.area}: ${name(part)} is over ${name(other)}`);
      if (tick.width && meet(drawn, tick)) faults.push(`${area.dataset.area}: the tick is over ${name(part)}`);
      const px = part.tagName === "text" && Number(part.getAttribute("font-size")) * area.ownerSVGElement.getScreenCTM().a;
      if (part.tagName === "text" && px < least_px) faults.push(`${area.dataset.area}: ${name(part)} is only ${px.toFixed(1)} px high`);
    });
  }
  return faults;
}
