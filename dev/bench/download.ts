import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface DownloadOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly expectedBytes: number
  /** How long to pause after each 64 KiB, and until when; no pauses if unset. */
  readonly pace?: { readonly restMs: number; readonly untilMs: number }
}

const stallTimeoutMs = 30_000
const endOfHead = '\r\n\r\n'

const formatRequest = ({ pathname, host }: URL, headers: DownloadOptions['headers']) =>
  [
    `GET ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    endOfHead,
  ].join('\r\n')

export const download = ({ url, headers, expectedBytes, pace }: DownloadOptions): Promise<void> => {
  const target = new URL(url)
  const startedAt = performance.now()
  const shouldPause = () => pace !== undefined && performance.now() - startedAt < pace.untilMs
  return new Promise((resolve, reject) => {
    let headLength: number | undefined
    let received = 0
    const receive = (length: number, bytes: Uint8Array) => {
      received += length
      if (headLength === undefined) {
        // Over loopback, a head of a few hundred bytes arrives in one piece.
        const head = Buffer.from(bytes.subarray(0, length)).toString('latin1')
        headLength = head.indexOf(endOfHead) + endOfHead.length
        if (!head.startsWith('HTTP/1.1 200 ')) socket.destroy(new Error(`${url}: ${head.slice(0, 40)}`))
      }
      if (received - headLength >= expectedBytes) socket.destroy()
      if (!shouldPause()) return true
      sleep(pace?.restMs).then(() => socket.resume())
      return false
    }
    const socket = connect({
      host: target.hostname,
      port: Number(target.port),
      onread: { buffer: Buffer.alloc(65_536), callback: receive },
    })
    socket.on('connect', () => socket.write(formatRequest(target, headers)))
    socket.setTimeout(stallTimeoutMs, () => socket.destroy(new Error(`${url} stalled`)))
    socket.on('error', reject)
    socket.on('close', () => {
      const bytes = received - (headLength ?? 0)
      if (bytes === expectedBytes) resolve()
      else reject(new Error(`${url} delivered ${bytes} bytes`))
    })
  })
}
