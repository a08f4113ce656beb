import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

interface ReceivedWebhook {
  readonly id: string
  readonly type: string
  readonly body: string
  readonly signature: string | undefined
}

export const startWebhookReceiver = async () => {
  const received: ReceivedWebhook[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { 'webhook-id': id, 'webhook-signature': signature } = request.headers
    received.push({ id: String(id), type: JSON.parse(body).type, body, signature: signature?.toString() })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
