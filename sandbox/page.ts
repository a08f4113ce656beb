const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML elements and attributes. */
export const text = (value: string) =>
  value.replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** Renders an HTML page. `body` is HTML. */
export const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${text(title)}</title>
  <style>body{font:16px/1.5 system-ui;max-width:60rem;margin:3rem auto;padding:0 1rem}form{display:inline-block;margin:.2rem}
  table{border-collapse:collapse}td{padding:.3rem .8rem .3rem 0}label{margin-right:1rem}</style>
  <h1>${text(title)}</h1>${body}</html>`
