import { createServer } from 'node:http'
import { Pool } from 'undici'
import { listenOnLoopback } from './listen-on-loopback.ts'

const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding'])
const isEndToEnd = (name: string) => !hopByHop.has(name.toLowerCase())

const endToEndPairs = (raw: readonly string[]) =>
  raw.filter((_, index) => isEndToEnd(raw[index - (index % 2)] ?? ''))

const endToEndFields = <V>(fields: Readonly<Record<string, V>>) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => isEndToEnd(name)))

const clientGone = new Error('the client disconnected')

// A minimal forwarder: no limits, timeouts, log or metrics, unless DUTIES is set.
const pool = new Pool(process.env.UPSTREAM ?? '', { connections: 256, pipelining: 1, allowH2: false })

// Imported only if DUTIES is set, because it loads pino.
const beginDuties =
  process.env.DUTIES === undefined ? null : (await import('./gateway-duties.ts')).createDuties()

const server = createServer((incoming, outgoing) => {
  const { method = 'GET', url = '/', rawHeaders } = incoming
  const body = method === 'GET' || method === 'HEAD' ? null : incoming
  const headers = endToEndPairs(rawHeaders)
  const duties = beginDuties?.(incoming)
  if (duties) headers.push(...duties.requestHeaders())
  let responseStatus = 0
  pool.dispatch(
    { method, path: url, headers, body },
    {
      onRequestStart(controller) {
        const abort = () => controller.abort(clientGone)
        // Otherwise, the request of a disconnected client would keep one of the pool's connections busy.
        if (outgoing.closed) abort()
        else outgoing.once('close', abort)
        duties?.startDeadline(abort)
      },
      onResponseStart(_controller, status, fields) {
        responseStatus = status
        const endToEnd = endToEndFields(fields)
        outgoing.writeHead(status, duties ? Object.assign(endToEnd, duties.responseHeaders()) : endToEnd)
      },
      onResponseData(controller, chunk) {
        duties?.count(chunk.length)
        if (outgoing.write(chunk)) return
        controller.pause()
        outgoing.once('drain', () => controller.resume())
      },
      onResponseEnd() {
        outgoing.end()
        duties?.end(responseStatus)
      },
      onResponseError() {
        outgoing.destroy()
        duties?.end(responseStatus)
      },
    },
  )
})

listenOnLoopback(server)
