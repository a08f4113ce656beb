import { openRawClient, type RawResponse } from './raw-client.ts'

interface SlowRequest {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly body: unknown
}

export interface SlowBody {
  complete(): Promise<RawResponse>
}

export const openSlowBody = async (
  url: string,
  { method, path, token, body }: SlowRequest,
): Promise<SlowBody> => {
  const text = JSON.stringify(body)
  const client = await openRawClient(Number(new URL(url).port))
  client.send(
    [
      `${method} ${path} HTTP/1.1`,
      'Host: api.example',
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Expect: 100-continue',
      '',
      '',
    ].join('\r\n'),
  )
  while (!client.text().includes('\r\n\r\n'))
    await new Promise((resolve) => client.socket.once('data', resolve))
  if (!client.text().startsWith('HTTP/1.1 100 ')) throw new Error(`no 100 Continue: ${client.text()}`)
  client.send(text.slice(0, 1))
  return {
    async complete() {
      client.send(text.slice(1))
      try {
        return await client.receiveResponse(method)
      } finally {
        client.socket.destroy()
      }
    },
  }
}
