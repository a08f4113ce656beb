import { readFile } from 'node:fs/promises'
import fastify, { type FastifyReply } from 'fastify'
import * as z from 'zod'
import {
  createPolicy,
  renderHome,
  renderInvitation,
  renderNotFound,
  renderReturn,
  renderShare,
} from './pages.ts'

interface WebAppOptions {
  /** 0 or unset: the system chooses. */
  readonly port?: number
}

const Addresses = z.object({
  /** The base URL of the gateway, whose public routes the pages read. */
  api: z.url(),
  /** The object store, which plays audio and shows artwork by signed URLs. */
  store: z.url(),
})
type Addresses = z.infer<typeof Addresses>

const scripts = new URL('./browser/', import.meta.url)
const Script = z.object({ name: z.enum(['create.js', 'link.js', 'player.js', 'share.js']) })

/**
 * Starts a small web app, to which share links, invitations and the pages of the billing provider lead. It logs no
 * request, because the address of a share page is a secret.
 */
export const startWebApp = async ({ port = 0 }: WebAppOptions) => {
  let addresses: Addresses | null = null
  const app = fastify({ forceCloseConnections: true })

  const setAddresses = (given: Addresses) => {
    addresses = given
  }
  const sendPage = (reply: FastifyReply, page: string) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({
        'content-security-policy': createPolicy(addresses),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
        'cache-control': 'no-store',
      })
      .send(page)

  app.setErrorHandler((_, __, reply) => reply.code(400).send({ error: 'bad_request' }))
  app.setNotFoundHandler((_, reply) => sendPage(reply.code(404), renderNotFound()))

  app.get('/', async (_, reply) => sendPage(reply, renderHome()))
  app.get('/billing', async (_, reply) => sendPage(reply, renderReturn()))
  for (const kind of ['tracks', 'packs'])
    app.get(`/share/${kind}/:token`, async (_, reply) => sendPage(reply, renderShare(addresses?.api ?? '')))
  app.get('/share/invitations/:id', async (_, reply) => sendPage(reply, renderInvitation()))
  app.get('/browser/:name', async ({ params }, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .headers({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' })
      .send(await readFile(new URL(Script.parse(params).name, scripts), 'utf8')),
  )

  app.post('/sandbox/addresses', async ({ body }, reply) => {
    setAddresses(Addresses.parse(body))
    return reply.code(204).send()
  })

  const url = await app.listen({ port, host: '127.0.0.1' })
  return { url, setAddresses, close: () => app.close() }
}
