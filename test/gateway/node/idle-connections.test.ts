import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startTestGateway } from '#test/support/gateway.ts'

const gateway = startTestGateway({ control: 'fixed', core: 'recording' })

/** Collects the responses that the gateway sends from now on, as reported by Node. */
const watchResponses = () => {
  const channel = 'http.server.response.finish'
  const responses: ServerResponse[] = []
  const add = (message: unknown) => {
    const { response, socket } = message as { readonly response: ServerResponse; readonly socket: Socket }
    if (socket.localPort === Number(new URL(gateway.url).port)) responses.push(response)
  }
  subscribe(channel, add)
  onTestFinished(() => void unsubscribe(channel, add))
  return responses
}

// Node and the gateway keep a reference to the last response of an idle connection. That response must not keep the
// rest of its request in memory.
it.each([
  ['native', '/v1/libraries'],
  ['proxy', '/v1/unknown'],
])('an idle connection does not retain its last request: %s', async (runtime, path) => {
  const { token } = await gateway.signUp()
  const responses = watchResponses()
  const { headers } = await gateway.request('GET', path, { token })
  expect(headers.get('x-service-core-runtime')).toBe(runtime)
  await expect.poll(() => responses.map(({ closed }) => closed)).toEqual([true])
  expect(responses.flatMap((response) => response.listeners('close'))).toEqual([])
})
