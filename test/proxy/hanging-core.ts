import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { get, post, sendRaw } from '#test/support/raw-client.ts'
import { type Reply, replyOk } from '#test/support/raw-core.ts'

/**
 * Creates the replies of a core that can be made to hang. While it hangs, it accepts connections but never responds to
 * the requests that it receives.
 */
export const createHangingReplies = (respond: Reply = replyOk) => {
  let isHanging = false
  const reply: Reply = (socket, request) => {
    if (!isHanging) respond(socket, request)
  }
  return {
    reply,
    setHanging(hangs: boolean) {
      isHanging = hangs
    },
  }
}

interface Served {
  readonly target: string
  readonly status: number
  readonly sentAt: number
  readonly endedAt: number
}

/** Starts clients that each send one request after another until stopped. Every other client sends writes. */
export const startTraffic = (port: number, clients: number) => {
  const served: Served[] = []
  let isStopped = false
  let count = 0
  const run = async (client: number) => {
    while (!isStopped) {
      count += 1
      const target = `/v1/requests/${count}`
      const sentAt = performance.now()
      const message = client % 2 === 0 ? get(target) : post(target, '{}')
      const { status } = await sendRaw(port, message, 'GET', `127.0.0.${2 + client}`)
      served.push({ target, status, sentAt, endedAt: performance.now() })
      await sleep(20)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  return {
    served,
    async stop() {
      isStopped = true
      await running
    },
  }
}
