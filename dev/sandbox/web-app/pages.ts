import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { pageStyle } from '#shared/page-style.ts'
import { type Html, renderDocument } from '../page.ts'

const style = `${pageStyle}
main, .top > div { max-width: 46rem }
.cover { display: flex; flex-wrap: wrap; gap: 1rem 1.5rem; align-items: center; margin-bottom: 1rem }
.cover img, .cover .blank { width: 8rem; height: 8rem; flex: none; border-radius: var(--radius); object-fit: cover }
.cover .blank { display: grid; place-items: center; background: var(--raised); color: var(--muted); font-size: 3rem }
.cover > div:last-child { flex: 1 1 14rem }
.cover p { margin: .25rem 0 }
ol.tracks { list-style: none; margin: 1rem 0; padding: 0; border-top: 1px solid var(--line) }
ol.tracks li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .6rem 0; border-bottom: 1px solid var(--line) }
ol.tracks li > span:nth-of-type(1) { flex: 1 1 0; min-width: 0 }
ol.tracks li[aria-current=true] strong { color: var(--accent) }
ol.tracks li > .number { flex: none }
ol.tracks .icon { flex: none; width: 2.75rem; height: 2.75rem; padding: 0; border-radius: 50%; line-height: 1 }
ol.tracks li[aria-current=true] .icon { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
ol.tracks small { display: block }
audio { display: block; width: 100% }
audio[hidden] { display: none }
.player { flex: 0 0 100% }
`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export const createPolicy = (addresses: { readonly api: string; readonly store: string } | null) => {
  const [api, store] = addresses
    ? [new URL(addresses.api).origin, new URL(addresses.store).origin]
    : ["'none'", "'none'"]
  return [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    "script-src 'self'",
    `connect-src ${api}`,
    `media-src ${store}`,
    `img-src data: ${store}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const renderPage = (title: string, body: Html, head: Html = html``) =>
  renderDocument({ brand: 'Web app', title, head: html`<style>${raw(style)}</style>\n${head}`, body })

const renderText = (title: string, body: Html) =>
  renderPage(title, html`<main><h1>${title}</h1>${body}</main>`)

/** Renders the page of a shared track or pack. The page's script fills it from the gateway's public routes. */
export const renderShare = (api: string) =>
  renderPage(
    'Shared with you',
    html`<main id="share" data-api="${api}" aria-busy="true"><p role="status">Loading...</p>
<noscript><p>This page needs JavaScript to play what was shared with you.</p></noscript></main>`,
    html`<script type="module" src="/browser/share.js"></script>`,
  )

/** Renders an invitation to a pack that had no link when the email was sent. */
export const renderInvitation = () =>
  renderText(
    'You are invited to a pack of songs',
    html`<p>The e-mail with this invitation names the pack, but the pack has no link yet.</p>
<p>Ask the person who invited you for one.</p>`,
  )

export const renderReturn = () =>
  renderText(
    'Back in the app',
    html`<p>You are back from the billing provider. If you have paid or changed your plan, the change takes effect once
the provider's webhook has arrived, usually within a second.</p>
<p>The plan is in the response of <code>GET /v1/billing/status</code>.</p>`,
  )

export const renderHome = () =>
  renderText(
    'Sandbox web app',
    html`<p>It plays shared songs. Open this address followed by the <code>sharePath</code> of a share link.</p>
<ul>
<li><a href="/share/packs/harbour-ep">/share/packs/harbour-ep</a>: the demo pack</li>
<li><a href="/share/packs/harbour-ep-press">/share/packs/harbour-ep-press</a>: the same pack, with the access code
<code>lighthouse</code></li>
</ul>`,
  )

export const renderNotFound = () =>
  renderText('There is no such page', html`<p><a href="/">Web app home</a></p>`)
