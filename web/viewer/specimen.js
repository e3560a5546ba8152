// Drawn pictures that stand in for a camera's: a specimen of a document, and a face. Grain makes them as large as photos are.
// @ts-check
'use strict';

/** How far grain leads from the drawn colour, in steps of a channel. */
const GRAIN = 6;

/**
 * @param {HTMLCanvasElement} canvas @param {'document' | 'selfie'} subject
 */
export function drawSubject(canvas, subject) {
  [canvas.width, canvas.height] = subject === 'document' ? [2016, 1344] : [1080, 1440];
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return;
  if (subject === 'document') drawDocument(context, canvas.width, canvas.height);
  else drawFace(context, canvas.width, canvas.height);
  addGrain(context, canvas.width, canvas.height);
}

/** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height */
function drawDocument(context, width, height) {
  const table = context.createLinearGradient(0, 0, width, height);
  table.addColorStop(0, '#5b6473');
  table.addColorStop(1, '#39414e');
  context.fillStyle = table;
  context.fillRect(0, 0, width, height);

  const [x, y, w, h] = [168, 142, 1680, 1060];
  context.save();
  context.shadowColor = 'rgb(0 0 0 / 45%)';
  context.shadowBlur = 60;
  context.shadowOffsetY = 24;
  context.fillStyle = '#eef1f4';
  roundedPath(context, x, y, w, h, 56);
  context.fill();
  context.restore();
  context.save();
  roundedPath(context, x, y, w, h, 56);
  context.clip();
  // The fine lines of printed papers.
  context.lineWidth = 2;
  for (let line = 0; line < 64; line += 1) {
    context.strokeStyle = `hsl(${200 + line} 42% 62% / 34%)`;
    context.beginPath();
    for (let step = 0; step <= 84; step += 1) {
      const at = x + (step / 84) * w;
      const wave = Math.sin(step / 5 + line / 4) * 70 + Math.sin(step / 11 - line / 7) * 40;
      if (step === 0) context.moveTo(at, y + line * 17 + wave);
      else context.lineTo(at, y + line * 17 + wave);
    }
    context.stroke();
  }
  context.fillStyle = '#2b4d86';
  context.fillRect(x, y, w, 132);
  write(context, 'IDENTITY DOCUMENT', x + 56, y + 88, '600 56px sans-serif', '#ffffff');
  write(context, 'SPECIMEN', x + w - 56, y + 88, '700 56px sans-serif', '#d5e2ff', 'right');
  // A portrait without a person.
  context.fillStyle = '#c6d0dc';
  context.fillRect(x + 56, y + 196, 400, 520);
  context.fillStyle = '#8393a6';
  context.beginPath();
  context.arc(x + 256, y + 384, 104, 0, 2 * Math.PI);
  context.fill();
  context.beginPath();
  context.ellipse(x + 256, y + 700, 176, 172, 0, Math.PI, 2 * Math.PI);
  context.fill();
  /** @type {[string, string][]} */
  const fields = [['Surname', 'SPECIMEN'], ['Given names', 'PAGE BRIDGE'], ['Number', 'X1234567'], ['Date of birth', '28 02 1990'], ['Date of expiry', '01 01 2031']];
  fields.forEach(([name, value], index) => {
    write(context, name, x + 520, y + 228 + index * 104, '400 30px sans-serif', '#52607a');
    write(context, value, x + 520, y + 276 + index * 104, '600 46px sans-serif', '#1a2333');
  });
  context.fillStyle = 'rgb(255 255 255 / 82%)';
  context.fillRect(x, y + h - 276, w, 276);
  const lines = ['P<UTOSPECIMEN<<PAGE<BRIDGE<<<<<<<<<<<<<<<<<<', 'X1234567<0UTO9002288X3101017<<<<<<<<<<<<<<00'];
  lines.forEach((line, index) => write(context, line, x + w / 2, y + h - 156 + index * 84, '600 58px monospace', '#111722', 'center'));
  context.restore();
  write(context, stamp(), width - 40, height - 40, '500 32px monospace', 'rgb(255 255 255 / 85%)', 'right');
}

/** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height */
function drawFace(context, width, height) {
  const wall = context.createRadialGradient(width / 2, height * 0.4, 80, width / 2, height * 0.5, height * 0.7);
  wall.addColorStop(0, '#dbe4ee');
  wall.addColorStop(1, '#8fa3b8');
  context.fillStyle = wall;
  context.fillRect(0, 0, width, height);
  const middle = width / 2;
  /** @param {string} colour @param {number} x @param {number} y @param {number} across @param {number} down */
  const oval = (colour, x, y, across, down) => {
    context.fillStyle = colour;
    context.beginPath();
    context.ellipse(x, y, across, down, 0, 0, 2 * Math.PI);
    context.fill();
  };
  oval('#2f4a6d', middle, height + 120, 470, 430);
  oval('#b98663', middle, 1010, 120, 190);
  oval('#3a2b22', middle, 560, 300, 350);
  oval('#d3a07a', middle, 660, 258, 336);
  for (const side of [-1, 1]) {
    oval('#ffffff', middle + side * 102, 620, 46, 26);
    oval('#33261e', middle + side * 102, 620, 21, 22);
    oval('#4a362a', middle + side * 102, 556, 62, 12);
  }
  oval('#b9805c', middle, 730, 34, 42);
  context.strokeStyle = '#8d4f3f';
  context.lineWidth = 16;
  context.lineCap = 'round';
  context.beginPath();
  context.arc(middle, 790, 96, 0.2 * Math.PI, 0.8 * Math.PI);
  context.stroke();
  write(context, stamp(), width - 32, height - 32, '500 28px monospace', 'rgb(255 255 255 / 90%)', 'right');
}

/**
 * @param {CanvasRenderingContext2D} context @param {number} x @param {number} y
 * @param {number} width @param {number} height @param {number} radius
 */
function roundedPath(context, x, y, width, height, radius) {
  const [right, bottom] = [x + width, y + height];
  context.beginPath();
  context.moveTo(x + radius, y);
  context.arcTo(right, y, right, bottom, radius);
  context.arcTo(right, bottom, x, bottom, radius);
  context.arcTo(x, bottom, x, y, radius);
  context.arcTo(x, y, right, y, radius);
  context.closePath();
}

/** Tells one picture from the next. */
function stamp() {
  return `test picture ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`;
}

/**
 * @param {CanvasRenderingContext2D} context @param {string} text @param {number} x @param {number} y
 * @param {string} font @param {string} colour @param {CanvasTextAlign} [align]
 */
function write(context, text, x, y, font, colour, align = 'left') {
  context.font = font;
  context.fillStyle = colour;
  context.textAlign = align;
  context.fillText(text, x, y);
}

/** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height */
function addGrain(context, width, height) {
  const picture = context.getImageData(0, 0, width, height);
  const { data } = picture;
  let seed = Date.now() | 1;
  for (let index = 0; index < data.length; index += 4) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    for (let channel = 0; channel < 3; channel += 1) {
      const grain = ((seed >>> (8 + channel * 6)) % (2 * GRAIN + 1)) - GRAIN;
      data[index + channel] = (data[index + channel] ?? 0) + grain;
    }
  }
  context.putImageData(picture, 0, 0);
}
