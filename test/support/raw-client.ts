import { connect, type Socket } from 'node:net'

export interface RawResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** Whether the whole body arrived, as declared by its length or its chunks. */
  readonly complete: boolean
  header(name: string): string | undefined
}

export interface RawClient {
  readonly socket: Socket
  /** Everything received so far, one character per byte. */
  readonly text: () => string
  send(text: string): void
  /**
   * Resolves with the next complete response, or with the part of it that was received if the connection ends early.
   */
  receiveResponse(method?: string): Promise<RawResponse>
  /** Resolves with everything received once the server has closed the connection. */
  waitForClose(): Promise<string>
}

const unchunk = (text: string) => {
  let body = ''
  let rest = text
  for (;;) {
    const [size = '', ...after] = rest.split('\r\n')
    if (after.length === 0 || !/^[0-9a-f]+$/i.test(size))
      return { body, complete: false, length: text.length }
    const from = size.length + 2
    const length = Number.parseInt(size, 16)
    body += rest.slice(from, from + length)
    if (rest.length < from + length + 2) return { body, complete: false, length: text.length }
    rest = rest.slice(from + length + 2)
    if (length === 0) return { body, complete: true, length: text.length - rest.length }
  }
}

/** Parses the first response in `text`; null while its head is incomplete. Interim responses are skipped. */
const parse = (text: string, method: string): { response: RawResponse; length: number } | null => {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return null
  const [start = '', ...lines] = text.slice(0, end).split('\r\n')
  const status = Number(start.split(' ')[1])
  if (status < 200) {
    const final = parse(text.slice(end + 4), method)
    return final && { response: final.response, length: final.length + end + 4 }
  }
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
  })
  const header = (name: string) => headers.find(([found]) => found.toLowerCase() === name)?.[1]
  const rest = text.slice(end + 4)
  const read = () => {
    if (method === 'HEAD' || status === 204 || status === 304) return { body: '', complete: true, length: 0 }
    if (header('transfer-encoding') !== undefined) return unchunk(rest)
    const declared = header('content-length')
    if (declared === undefined) return { body: rest, complete: false, length: rest.length }
    const length = Number(declared)
    return {
      body: rest.slice(0, length),
      complete: rest.length >= length,
      length: Math.min(length, rest.length),
    }
  }
  const { body, complete, length } = read()
  return { response: { status, headers, body, complete, header }, length: end + 4 + length }
}

/** Opens a connection. The gateway treats each local address (127.0.0.x) as a different client. */
export const openRawClient = async (port: number, localAddress = '127.0.0.1'): Promise<RawClient> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true })
  let text = ''
  let read = 0
  let ended = false
  let wake: () => void = () => {}
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    wake()
  })
  const end = () => {
    ended = true
    wake()
  }
  socket.on('end', end).on('close', end).on('error', end)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  const waitForChange = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  return {
    socket,
    text: () => text,
    send: (part) => {
      socket.write(Buffer.from(part, 'latin1'))
    },
    async receiveResponse(method = 'GET') {
      for (;;) {
        const found = parse(text.slice(read), method)
        if (found && (found.response.complete || ended)) {
          read += found.length
          return found.response
        }
        if (ended)
          throw new Error(`the connection ended without a response: ${JSON.stringify(text.slice(read))}`)
        await waitForChange()
      }
    },
    async waitForClose() {
      while (!ended) await waitForChange()
      socket.destroy()
      return text
    },
  }
}

export const sendRaw = async (
  port: number,
  message: string,
  method = 'GET',
  localAddress?: string,
): Promise<RawResponse> => {
  const client = await openRawClient(port, localAddress)
  try {
    client.send(message)
    return await client.receiveResponse(method)
  } finally {
    client.socket.destroy()
  }
}

/** A GET request with these header lines, one character per byte. */
export const get = (target: string, ...headers: string[]) =>
  [`GET ${target} HTTP/1.1`, 'Host: api.example', ...headers, '', ''].join('\r\n')

export const post = (target: string, body: string, ...headers: string[]) =>
  [
    `POST ${target} HTTP/1.1`,
    'Host: api.example',
    `Content-Length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n')
