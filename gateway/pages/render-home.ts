import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { pageStyle } from '#shared/page-style.ts'

type Html = ReturnType<typeof html>

export interface HomeLink {
  readonly href: string
  readonly name: string
  readonly text: string
}

export interface HomeAdditions {
  readonly badge: string
  readonly links: readonly HomeLink[]
  readonly body: Html
  readonly style: string
  readonly script: string
  readonly origins: readonly string[]
}

const docs: readonly HomeLink[] = [
  { href: '/docs', name: 'API reference', text: 'Every route with its fields, errors and examples.' },
  {
    href: '/openapi.json',
    name: 'OpenAPI description',
    text: 'The same description as JSON, for client generators.',
  },
]

const homeStyle = `
main { max-width: 50rem; padding-top: clamp(1.5rem, 6vw, 4.5rem) }
.fade { display: block; width: 100%; height: clamp(3.5rem, 10vw, 5.5rem); margin-bottom: 1.5rem; overflow: visible }
.fade path { fill: none; stroke-width: 2.5; stroke-linecap: round; vector-effect: non-scaling-stroke }
.fade .native { stroke: var(--accent) } .fade .core { stroke: var(--control) }
.fade .area { stroke: none; fill: var(--accent-surface) }
.name { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem }
.name h1 { font-size: clamp(1.875rem, 6vw, 2.5rem); letter-spacing: -.02em }
.lead { font-size: 1.125rem; color: var(--muted); margin: .5rem 0 0; max-width: none; text-wrap: balance }
.links { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); gap: .75rem; margin: 2rem 0 0; padding: 0; list-style: none }
.links a { display: block; height: 100%; padding: 1rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); text-decoration: none }
.links a:hover { border-color: var(--accent) }
.links strong, .links span { display: block } .links span { margin-top: .25rem; color: var(--muted); font-size: var(--small); text-wrap: pretty }
`

const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const createContentPolicy = (style: string, { script, origins }: HomeAdditions) =>
  [
    "default-src 'none'",
    `style-src ${sourceOf(style)}`,
    ...(script ? [`script-src ${sourceOf(script)}`] : []),
    ...(origins.length > 0 ? [`connect-src ${origins.join(' ')}`] : []),
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const renderLink = ({ href, name, text }: HomeLink) =>
  html`<li><a href="${href}"><strong>${name}</strong><span>${text}</span></a></li>`

const fade = html`<svg class="fade" viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true">
<path class="area" d="M0 40 C50 40 50 2 100 2 V40 Z"/><path class="core" d="M0 2 C50 2 50 40 100 40"/><path class="native" d="M0 40 C50 40 50 2 100 2"/>
</svg>`

const nothing: HomeAdditions = { badge: '', links: [], body: html``, style: '', script: '', origins: [] }

const renderPage = (style: string, { badge, links, body, script }: HomeAdditions) =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crossfade</title>
<link rel="icon" href="data:,">
<style>${raw(style)}</style>
</head>
<body>
<main>
${fade}
<div class="name"><h1>Crossfade</h1>${badge && html`<span class="badge warn">${badge}</span>`}</div>
<p class="lead">The API of a music workspace: tracks, packs, libraries, share links and billing.</p>
<ul class="links">${[...docs, ...links].map(renderLink)}</ul>
${body}
</main>
${script && html`<script>${raw(script)}</script>`}
</body>
</html>
`

export const renderHome = async (additions: HomeAdditions = nothing) => {
  const style = pageStyle + homeStyle + additions.style
  return {
    page: String(await renderPage(style, additions)),
    contentPolicy: createContentPolicy(style, additions),
  }
}
