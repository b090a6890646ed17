/** What a frame is drawn with: the context of a canvas, or a picture of vectors. */
export interface Pen {
  fillStyle: string | object;
  strokeStyle: string | object;
  globalAlpha: number;
  lineWidth: number;
  font: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  strokeRect(x: number, y: number, width: number, height: number): void;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void;
  stroke(): void;
  fill(): void;
  /** `y` is the middle of the letters. */
  fillText(text: string, x: number, y: number): void;
  measureText(text: string): { readonly width: number };
  setLineDash(dash: readonly number[]): void;
  translate(x: number, y: number): void;
}

/** Of the font that frames are drawn in, in pixels. */
const CHAR_WIDTH = 6.62;

/** Collects what is drawn as SVG. Texts are escaped; numbers are rounded to hundredths of a pixel. */
export class SvgPen implements Pen {
  fillStyle: string | object = '#000';
  strokeStyle: string | object = '#000';
  globalAlpha = 1;
  lineWidth = 1;
  font = '';
  readonly #parts: string[] = [];
  #path = '';
  #dash = '';
  #x = 0;
  #y = 0;

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#parts.push(`<rect ${this.#box(x, y, width, height)} ${this.#fill()}/>`);
  }
  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#parts.push(`<rect ${this.#box(x, y, width, height)} ${this.#stroke()}/>`);
  }
  beginPath(): void {
    this.#path = '';
  }
  moveTo(x: number, y: number): void {
    this.#path += `M${this.#at(x, y)}`;
  }
  lineTo(x: number, y: number): void {
    this.#path += `L${this.#at(x, y)}`;
  }
  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    this.#path += `C${this.#at(x1, y1)} ${this.#at(x2, y2)} ${this.#at(x, y)}`;
  }
  stroke(): void {
    if (this.#path !== '') this.#parts.push(`<path d="${this.#path}" ${this.#stroke()} stroke-linejoin="round"/>`);
  }
  fill(): void {
    if (this.#path !== '') this.#parts.push(`<path d="${this.#path}" ${this.#fill()}/>`);
  }
  fillText(text: string, x: number, y: number): void {
    const [left, middle] = this.#at(x, y).split(' ');
    this.#parts.push(`<text x="${left}" y="${middle}" ${this.#fill()}>${escapeXml(text)}</text>`);
  }
  measureText(text: string): { readonly width: number } {
    return { width: text.length * CHAR_WIDTH };
  }
  setLineDash(dash: readonly number[]): void {
    this.#dash = dash.length === 0 ? '' : ` stroke-dasharray="${dash.join(' ')}"`;
  }
  translate(x: number, y: number): void {
    this.#x += x;
    this.#y += y;
  }

  /** The whole file. */
  toText(width: number, height: number, title: string): string {
    const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
    const font =
      'font-family="ui-monospace, monospace" font-size="11" dominant-baseline="central" xml:space="preserve"';
    return `${head} ${font}>\n<title>${escapeXml(title)}</title>\n${this.#parts.join('\n')}\n</svg>\n`;
  }

  #box(x: number, y: number, width: number, height: number): string {
    return `x="${short(x + this.#x)}" y="${short(y + this.#y)}" width="${short(width)}" height="${short(height)}"`;
  }
  #at(x: number, y: number): string {
    return `${short(x + this.#x)} ${short(y + this.#y)}`;
  }
  #fill(): string {
    return `fill="${styleText(this.fillStyle)}"${this.#opacity()}`;
  }
  #stroke(): string {
    const colour = styleText(this.strokeStyle);
    return `fill="none" stroke="${colour}" stroke-width="${this.lineWidth}"${this.#dash}${this.#opacity()}`;
  }
  #opacity(): string {
    return this.globalAlpha === 1 ? '' : ` opacity="${this.globalAlpha}"`;
  }
}

const short = (value: number): string => String(Math.round(value * 100) / 100);
const styleText = (style: string | object): string => escapeXml(typeof style === 'string' ? style : '#000');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
// What XML has no way to write, even escaped.
const NOT_XML =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export const escapeXml = (text: string): string =>
  text.replace(NOT_XML, '\ufffd').replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
