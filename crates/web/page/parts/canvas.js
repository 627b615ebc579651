// Drawing at the screen's own resolution, in the theme's colours.

/** A cleared context in units of CSS. @param {HTMLCanvasElement} canvas */
export function canvasOf(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

export const colour = (token) => getComputedStyle(document.documentElement).getPropertyValue(token).trim();
