import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { locateDocsAssets } from '#shared/run-time-files.ts'
import { acceptsGzip } from './description-page.ts'
import { createAssetResponse, createPageResponse, loadOnce, type PageApp } from './page-app.ts'

const assets = {
  script: { path: '/docs/reader.js', file: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
  style: { path: '/docs/reader.css', file: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
} as const
type AssetName = keyof typeof assets

// Swagger UI is third-party code, so the policy confines it to this origin.
const createContentPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

// fixes what Swagger UI leaves too wide for a phone, too pale to read, or out of sight
const style = `
body { margin: 0 }
.swagger-ui .scheme-container { position: sticky; top: 0; z-index: 2; padding: .5rem 0; margin: 0 0 1rem }
.swagger-ui .wrapper { padding: 0 1rem }
.swagger-ui .info .title, .swagger-ui .opblock .opblock-summary-path { overflow-wrap: anywhere }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #17692e; border-color: #17692e }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #17692e }
html:not(.dark-mode) .swagger-ui .info a { color: #1f5fa8 }
html.dark-mode .swagger-ui .headers .header-col { color: #e4e6e6 }
.swagger-ui .info .title small[class] { background: #17692e }
.swagger-ui .info .title small[class] pre.version { color: #fff }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f5fa8; color: #fff }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #17692e; color: #fff }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5200; color: #fff }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0f6d5c; color: #fff }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3202b; color: #fff }
@media (max-width: 40rem) {
  .swagger-ui .wrapper { padding: 0 .5rem }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding: .25rem 0 }
  .swagger-ui .opblock-body :is(table, tbody, tr, td) { display: block; width: auto; min-width: 0; max-width: 100% }
  .swagger-ui .opblock-body thead { display: none }
  .swagger-ui .opblock-body td { padding: .25rem 0 }
  .swagger-ui .opblock-body pre, .swagger-ui .opblock-body .model-box { white-space: pre-wrap; overflow-wrap: anywhere }
  .swagger-ui .scheme-container .schemes { flex-wrap: wrap }
  .swagger-ui .opblock-tag { flex-wrap: wrap }
  .swagger-ui .opblock-tag small { flex-basis: 100%; padding: 0 }
  .swagger-ui .schemes-server-container, .swagger-ui .servers select { min-width: 0; max-width: 100% }
  .swagger-ui .scheme-container .schemes .schemes-server-container .servers label { margin-right: 0 }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: calc(100% - 1rem) }
  .swagger-ui .auth-container input { min-width: 0; width: 100% }
}`

const renderPage = (nonce: string, addresses: Record<AssetName, string>) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Crossfade API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${addresses.style}">
<style>${style}</style>
<script nonce="${nonce}">
const dark = matchMedia('(prefers-color-scheme: dark)')
const adopt = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', adopt)
adopt()
</script>
</head>
<body>
<main id="reader"></main>
<script src="${addresses.script}" nonce="${nonce}"></script>
<script nonce="${nonce}">
// Every field of the dialog takes the focus when the dialog opens, which would leave the focus on the last field.
const focusFirst = () => document.querySelector('.auth-container input')?.focus()
const focusPlugin = () => ({
  statePlugins: { auth: { wrapActions: { showDefinitions: (show) => (shown) => {
    if (shown) setTimeout(focusFirst)
    return show(shown)
  } } } },
})
// A link whose text is an array is an operation's path. It is inside a button, and a button must not contain a link.
// Opening the operation sets the address anyway.
const pathPlugin = () => ({
  wrapComponents: { DeepLink: (DeepLink, { React }) => (link) =>
    React.createElement(DeepLink, { ...link, enabled: link.enabled && !Array.isArray(link.text) }) },
})
// Swagger UI leaves the label of the server list empty.
const nameServers = (element) => element?.querySelector('select')?.setAttribute('aria-label', 'Server')
const serversPlugin = () => ({
  wrapComponents: { Servers: (Servers, { React }) => (servers) =>
    React.createElement('div', { ref: nameServers }, React.createElement(Servers, servers)) },
})
// The labels of the dialog's buttons differ from their texts, and the close button has neither a label nor a text.
const dialogPlugin = () => ({
  wrapComponents: {
    Button: (Button, { React }) => (button) => React.createElement(Button, { ...button, 'aria-label': undefined }),
    CloseIcon: (CloseIcon, { React }) => (icon) =>
      React.createElement('span', { role: 'img', 'aria-label': 'Close' }, React.createElement(CloseIcon, icon)),
  },
})
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reader', deepLinking: true, docExpansion: 'none', persistAuthorization: true, validatorUrl: null, plugins: [focusPlugin, pathPlugin, serversPlugin, dialogPlugin] })
</script>
</body>
</html>
`

const compress = promisify(gzip)

const loadAsset = async (name: AssetName) => {
  const { file, path } = assets[name]
  const plain = await readFile(new URL(file, locateDocsAssets()))
  const version = Buffer.from(await crypto.subtle.digest('SHA-256', plain)).toString('base64url', 0, 12)
  return { version, address: `${path}?v=${version}`, plain, gzipped: await compress(plain) }
}

/** Assets are served locally, with a content hash in the URL so browsers can keep them. */
export const createDocsPages = (): PageApp => {
  const pages: PageApp = new Hono()
  const readAsset = {
    script: loadOnce(() => loadAsset('script')),
    style: loadOnce(() => loadAsset('style')),
  }

  pages.get('/docs', async () => {
    const nonce = crypto.randomUUID()
    const [script, style] = await Promise.all([readAsset.script(), readAsset.style()])
    const addresses = { script: script.address, style: style.address }
    return createPageResponse(String(await renderPage(nonce, addresses)), {
      'content-type': 'text/html; charset=UTF-8',
      'content-security-policy': createContentPolicy(nonce),
      'referrer-policy': 'no-referrer',
    })
  })

  for (const name of ['script', 'style'] as const) {
    const { path, type } = assets[name]
    pages.get(path, async ({ req }) => {
      const { version, plain, gzipped } = await readAsset[name]()
      const headers = {
        'content-type': type,
        vary: 'accept-encoding',
        // Another instance may be running a different version.
        'cache-control': req.query('v') === version ? 'public, max-age=31536000, immutable' : 'no-store',
      }
      return acceptsGzip(req.header('accept-encoding') ?? '')
        ? createAssetResponse(gzipped, { ...headers, 'content-encoding': 'gzip' })
        : createAssetResponse(plain, headers)
    })
  }

  return pages
}
