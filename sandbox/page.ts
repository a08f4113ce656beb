import { html } from 'hono/html'

export type Html = ReturnType<typeof html>

/** Renders an HTML page. */
export const renderPage = (title: string, body: Html) =>
  String(html`<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
  <style>body{font:16px/1.5 system-ui;max-width:60rem;margin:3rem auto;padding:0 1rem}form{display:inline-block;margin:.2rem}
  table{border-collapse:collapse}td{padding:.3rem .8rem .3rem 0}label{margin-right:1rem}</style>
  <h1>${title}</h1>${body}</html>`)
