import { html, raw } from 'hono/html'
import { pageStyle } from '#shared/page-style.ts'

export type Html = ReturnType<typeof html>

interface DocumentParts {
  readonly brand: string
  readonly title: string
  readonly head: Html
  readonly body: Html
}

export const renderDocument = ({ brand, title, head, body }: DocumentParts) =>
  String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
<header class="top"><div><a class="brand" href="/">${brand}</a><span class="badge warn">sandbox</span></div></header>
${body}
</body>
</html>
`)

export const renderPage = (provider: string, title: string, body: Html) =>
  renderDocument({
    brand: provider,
    title,
    head: html`<style>${raw(pageStyle)}</style>`,
    body: html`<main>
<h1>${title}</h1>
${body}
</main>`,
  })

export const renderButton = (action: string, label: string, kind: '' | 'primary' | 'danger' = '') =>
  html`<form method="post" action="${action}"><button class="${kind}">${label}</button></form>`

export const renderEmpty = (missing: string, advice: string) =>
  html`<div class="empty"><p><strong>${missing}</strong></p><p>${advice}</p></div>`
