import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeServer, listenOnLoopback } from '#dev/sandbox/listen.ts'
import { waitForDrain } from './wait-for-drain.ts'

export const largeBytes = 100 * 1024 * 1024
const piece = Buffer.alloc(64 * 1024, 'x')

const streamLarge = async (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': largeBytes })
  for (let written = 0; written < largeBytes && !response.destroyed; written += piece.length) {
    if (response.write(piece)) continue
    await waitForDrain(response)
  }
  response.end()
}

const streamSlowly = async (response: ServerResponse) => {
  while (!response.destroyed) {
    response.write(piece.subarray(0, 1024))
    await sleep(10)
  }
}

const inHalves = async (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': 4 })
  response.write('ha')
  await sleep(600)
  response.end('lf')
}

const ok = (response: ServerResponse) => {
  response.writeHead(200, { 'content-length': 2 })
  response.end('ok')
}

/** What the core does for these targets. For all others, it reads the body and responds with `ok`. */
const behaviours: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/v1/held': () => {},
  '/v1/endless': streamSlowly,
  '/v1/in-halves': inHalves,
  '/v1/large': streamLarge,
  '/v1/tracks?behave=large': streamLarge,
  '/v1/packs/held?behave=held': () => {},
}

export interface AbuseCore {
  readonly url: string
  openRequests(path: string): number
  close(): Promise<void>
}

/** Starts a core without faults, so only the clients misbehave. */
export const startAbuseCore = async (): Promise<AbuseCore> => {
  const counts = new Map<string, number>()
  const count = (path: string, change: number) => counts.set(path, (counts.get(path) ?? 0) + change)

  const server = createServer((request, response) => {
    const { url: path = '' } = request
    count(path, 1)
    response.once('close', () => count(path, -1))
    const behave = behaviours[path]
    if (behave) behave(response)
    else request.resume().once('end', () => ok(response))
  })
  const url = await listenOnLoopback(server, 0)
  return { url, openRequests: (path) => counts.get(path) ?? 0, close: () => closeServer(server) }
}
