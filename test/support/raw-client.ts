import { connect, type Socket } from 'node:net'

export interface RawResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** The body came to the end that its length or its chunks announce. */
  readonly complete: boolean
  header(name: string): string | undefined
}

export interface RawClient {
  readonly socket: Socket
  /** Everything that came in so far, one character a byte. */
  readonly text: () => string
  send(text: string): void
  /** Resolves with the next whole answer, or with what there is of it when the connection ends. */
  answer(method?: string): Promise<RawResponse>
  /** Resolves with all that came in, when the other side has closed. */
  closed(): Promise<string>
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

/** Splits the first answer off `text`; null while its head is not whole. Interim answers are skipped. */
const parse = (text: string, method: string): { answer: RawResponse; length: number } | null => {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return null
  const [start = '', ...lines] = text.slice(0, end).split('\r\n')
  const status = Number(start.split(' ')[1])
  if (status < 200) {
    const final = parse(text.slice(end + 4), method)
    return final && { answer: final.answer, length: final.length + end + 4 }
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
    const announced = header('content-length')
    if (announced === undefined) return { body: rest, complete: false, length: rest.length }
    const length = Number(announced)
    return {
      body: rest.slice(0, length),
      complete: rest.length >= length,
      length: Math.min(length, rest.length),
    }
  }
  const { body, complete, length } = read()
  return { answer: { status, headers, body, complete, header }, length: end + 4 + length }
}

export const openRawClient = async (port: number): Promise<RawClient> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
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
  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  return {
    socket,
    text: () => text,
    send: (part) => {
      socket.write(Buffer.from(part, 'latin1'))
    },
    async answer(method = 'GET') {
      for (;;) {
        const found = parse(text.slice(read), method)
        if (found && (found.answer.complete || ended)) {
          read += found.length
          return found.answer
        }
        if (ended)
          throw new Error(`the connection ended without an answer: ${JSON.stringify(text.slice(read))}`)
        await change()
      }
    },
    async closed() {
      while (!ended) await change()
      socket.destroy()
      return text
    },
  }
}

/** Sends one message on a connection of its own and resolves with the answer. */
export const sendRaw = async (port: number, message: string, method = 'GET'): Promise<RawResponse> => {
  const client = await openRawClient(port)
  try {
    client.send(message)
    return await client.answer(method)
  } finally {
    client.socket.destroy()
  }
}

/** A request of these lines without a body, as a string of bytes. */
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
