import { connect } from 'node:net'

// Whoever asks has a second themselves, as balancers usually do.
const patienceMs = 400
const rememberedMs = 1000

const acceptsConnections = (origin: URL) =>
  new Promise<boolean>((resolve) => {
    const host = origin.hostname.replace(/^\[|\]$/g, '')
    const port = Number(origin.port || (origin.protocol === 'https:' ? 443 : 80))
    const socket = connect({ host, port })
    const settle = (accepted: boolean) => {
      socket.destroy()
      resolve(accepted)
    }
    socket.setTimeout(patienceMs, () => settle(false))
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })

/** Whether the core takes a connection within a second; tried once a second at most, however many want to know. */
export const createConnectionProbe = (coreOrigin: string) => {
  const origin = new URL(coreOrigin)
  let answer: Promise<boolean> | undefined
  let triedAt = 0
  return () => {
    const now = performance.now()
    if (answer === undefined || now - triedAt >= rememberedMs) {
      triedAt = now
      answer = acceptsConnections(origin)
    }
    return answer
  }
}
