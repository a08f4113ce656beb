import { html } from 'hono/html'
import type { Operator } from '../../api/operator-options.ts'
import { assets } from '../assets.ts'
import type { Html } from './html.ts'
import { type Notice, renderNotice } from './notice.ts'

const sections = [
  { path: '/console', name: 'Routes' },
  { path: '/console/accounts', name: 'Accounts' },
  { path: '/console/core-usage', name: 'Core usage' },
  { path: '/console/report', name: 'Report' },
  { path: '/console/audit', name: 'Audit' },
  { path: '/console/instances', name: 'Instances' },
] as const

export interface ConsolePage {
  readonly title: string
  readonly body: Html
  readonly section?: (typeof sections)[number]['path']
  /** Whether the page's data changes by itself. If so, the browser replaces the content every second. */
  readonly isLive?: boolean
  readonly status?: number
}

interface LayoutOptions extends ConsolePage {
  readonly operator: Operator | null
  readonly notice?: Notice | null
}

const renderNavigation = (section: ConsolePage['section']) =>
  html`<nav aria-label="Sections">${sections.map(
    ({ path, name }) =>
      html`<a href="${path}"${path === section ? html` aria-current="page"` : ''}>${name}</a>`,
  )}</nav>`

const renderOperator = ({ name, role }: Operator) =>
  html`<form class="end row" method="post" action="/console/sign-out"><span class="small muted">${name}, ${role}</span><button class="small">Sign out</button></form>`

export const renderMain = ({ title, body }: ConsolePage) => html`<h1>${title}</h1>${body}`

export const renderLayout = (page: LayoutOptions) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} · Crossfade</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.style.address}">
<script src="${assets.script.address}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div><a class="brand" href="/console">Crossfade</a>${page.operator && renderNavigation(page.section)}${page.operator && renderOperator(page.operator)}</div></header>
<div class="width notices">${page.notice && renderNotice(page.notice)}</div>
<main id="main" tabindex="-1"${page.isLive ? html` data-live` : ''}>${renderMain(page)}</main>
${page.isLive && html`<p class="freshness small" id="freshness" role="status"></p>`}
</body>
</html>
`
