import type { Socket } from 'node:net'
import type { Addresses, GatewayProcess } from '#gateway/process/group/gateway-process.ts'
import type { MessageToProcess } from '#gateway/process/group/process-messages.ts'

/** A process that does what a test says. */
export const createFakeProcess = (pid: number) => {
  const ready = Promise.withResolvers<Addresses>()
  const exited = Promise.withResolvers<Awaited<GatewayProcess['exited']>>()
  const signals: NodeJS.Signals[] = []
  const messages: MessageToProcess[] = []
  const sockets: Socket[] = []
  let isReady = false
  let unanswered = 0
  ready.promise.catch(() => {})
  const exit = (signal: NodeJS.Signals | null) => {
    isReady = false
    exited.resolve({ code: null, signal })
    ready.reject(new Error('the process exited'))
  }
  const process: GatewayProcess = {
    pid,
    startedAt: performance.now(),
    ready: ready.promise,
    exited: exited.promise,
    isReady: () => isReady,
    send: (message) => void messages.push(message),
    sendConnection: (_listener, socket) => void sockets.push(socket),
    kill(signal) {
      signals.push(signal)
      exit(signal)
    },
    ping: () => unanswered++,
    countUnansweredPings: () => unanswered,
  }
  return {
    process,
    signals,
    messages,
    sockets,
    becomeReady() {
      isReady = true
      ready.resolve({ url: 'http://127.0.0.1:8787', adminUrl: null })
    },
    exit,
  }
}

export type FakeProcess = ReturnType<typeof createFakeProcess>
