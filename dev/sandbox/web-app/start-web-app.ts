import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { createSandboxApp, serveOnLoopback } from '../listen.ts'
import {
  createPolicy,
  renderHome,
  renderInvitation,
  renderNotFound,
  renderReturn,
  renderShare,
} from './pages.ts'

const Addresses = z.object({
  /** The gateway's base URL. The pages read its public routes. */
  api: z.url(),
  /** The object store, which serves audio and artwork through signed URLs. */
  store: z.url(),
})
type Addresses = z.infer<typeof Addresses>

const scripts = new URL('./browser/', import.meta.url)
const Script = z.object({ name: z.enum(['create.js', 'link.js', 'player.js', 'share.js']) })

/**
 * Starts a small web app for share links, invitations and the return from the billing provider. It logs no requests,
 * because the address of a share page is a secret.
 */
export const startWebApp = async ({ port = 0 }: { readonly port?: number }) => {
  let addresses: Addresses | null = null
  const app = createSandboxApp()

  const setAddresses = (given: Addresses) => {
    addresses = given
  }
  const pageHeaders = () => ({
    'content-security-policy': createPolicy(addresses),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'cache-control': 'no-store',
  })

  app.onError((_, { json }) => json({ error: 'bad_request' }, 400))
  app.notFound(({ html }) => html(renderNotFound(), 404, pageHeaders()))

  app.get('/', ({ html }) => html(renderHome(), 200, pageHeaders()))
  app.get('/billing', ({ html }) => html(renderReturn(), 200, pageHeaders()))
  app.get('/share/:kind{tracks|packs}/:token', ({ html }) =>
    html(renderShare(addresses?.api ?? ''), 200, pageHeaders()),
  )
  app.get('/share/invitations/:id', ({ html }) => html(renderInvitation(), 200, pageHeaders()))
  app.get('/browser/:name', async ({ req, body }) =>
    body(await readFile(new URL(Script.parse(req.param()).name, scripts), 'utf8'), 200, {
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    }),
  )

  app.post('/sandbox/addresses', async ({ req, body }) => {
    setAddresses(Addresses.parse(await req.json()))
    return body(null, 204)
  })

  return { ...(await serveOnLoopback(app, port)), setAddresses }
}
