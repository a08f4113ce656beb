import { readdir } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { errorBody, errorOfRead } from '#test/support/error-body.ts'
import { get, openRawClient, post, type RawClient, sendRaw } from '#test/support/raw-client.ts'
import { expectSame, expectSameResponse, pollOptions, startComparison } from './compare-core-and-gateway.ts'
import { reply, type Script, startResponse } from './scripted-core.ts'

// The chunked bodies are longer than this limit, so they are streamed.
const comparison = startComparison({ BODY_LIMIT_BYTES: '9' })

const silent: Script = () => {}
const headOnly: Script = (outgoing) => startResponse(outgoing, 200, 'Content-Length', '9')
const partOf =
  (...headers: string[]): Script =>
  (outgoing) => {
    startResponse(outgoing, 200, ...headers)
    outgoing.write('part')
  }

const put = (target: string, ...headers: string[]) => get(target, ...headers).replace('GET', 'PUT')
const partInChunks = (target: string) => `${put(target, 'Transfer-Encoding: chunked')}c\r\npartpartpart\r\n`
const partOfMegabytes = (target: string) => `${put(target, 'Content-Length: 9000000')}part`

/** How far a request has got when its client disconnects. */
interface Phase {
  readonly script: Script
  readonly message: (target: string) => string
  readonly reached: (client: RawClient, target: string) => unknown
  readonly bytes: number
  /** The gateway finishes a write even if the client closes its side after sending the whole body. */
  readonly isFinishedAfterClose?: true
}

const coreHas = (bytes: number) => (_: RawClient, target: string) =>
  comparison.core.requestsAt(target).at(-1)?.bytes === bytes
const clientHas = (text: string) => (client: RawClient) => client.text().includes(text)

const phases: readonly (readonly [name: string, phase: Phase])[] = [
  ['before the head of the response', { script: silent, message: get, reached: coreHas(0), bytes: 0 }],
  [
    'before the head of the response to a body',
    {
      script: silent,
      message: (target) => post(target, 'whole'),
      reached: coreHas(5),
      bytes: 5,
      isFinishedAfterClose: true,
    },
  ],
  [
    'between the head and the body',
    { script: headOnly, message: get, reached: clientHas('\r\n\r\n'), bytes: 0 },
  ],
  [
    'inside a body of a known length',
    { script: partOf('Content-Length', '9'), message: get, reached: clientHas('part'), bytes: 0 },
  ],
  ['inside a body in chunks', { script: partOf(), message: get, reached: clientHas('part'), bytes: 0 }],
  ['inside its chunked body', { script: silent, message: partInChunks, reached: coreHas(12), bytes: 12 }],
  [
    'inside its body of megabytes',
    { script: silent, message: partOfMegabytes, reached: coreHas(4), bytes: 4 },
  ],
  [
    'inside its body, after the core has begun to respond',
    { script: partOf(), message: partInChunks, reached: clientHas('part'), bytes: 12 },
  ],
]

const disconnectBy = {
  closes: ({ socket }: RawClient) => socket.destroy(),
  resets: ({ socket }: RawClient) => socket.resetAndDestroy(),
}

const disconnectIn = async (
  port: number,
  { script, message, reached }: Phase,
  manner: keyof typeof disconnectBy,
) => {
  const target = comparison.core.addScript(script)
  const client = await openRawClient(port)
  client.send(message(target))
  await expect.poll(() => reached(client, target), pollOptions).toBe(true)
  disconnectBy[manner](client)
  const [request] = comparison.core.requestsAt(target)
  await expect.poll(() => request?.state, pollOptions).toBe('cut off')
  return { bytes: request?.bytes, requests: comparison.core.requestsAt(target).length }
}

const expectService = async () => {
  const response = await expectSameResponse(
    comparison,
    get(comparison.core.addScript(reply(200, [], 'still here'))),
  )
  expect(response.body).toBe('still here')
}

afterEach(async () => {
  await expectService()
  await expect.poll(() => comparison.core.openRequests(), pollOptions).toBe(0)
})

describe.each(['closes', 'resets'] as const)('a client that %s its connection', (manner) => {
  const abortedPhases = phases.filter(([, phase]) => manner === 'resets' || !phase.isFinishedAfterClose)

  it.each(abortedPhases)('is disconnected from the core too: %s', async (_, phase) => {
    const direct = await disconnectIn(comparison.corePort, phase, manner)
    const through = await disconnectIn(comparison.gatewayPort, phase, manner)
    expect(direct).toEqual({ bytes: phase.bytes, requests: 1 })
    expect(through).toEqual(direct)
  })

  it('causes no request to the core if the head of its request is incomplete', async () => {
    for (const port of [comparison.corePort, comparison.gatewayPort]) {
      const target = comparison.core.addScript(reply(200, [], 'ok'))
      const client = await openRawClient(port)
      client.send(get(target).slice(0, -2))
      await sleep(20)
      disconnectBy[manner](client)
      await expectService()
      expect(comparison.core.requestsAt(target)).toEqual([])
    }
  })

  it('causes no request to the core if the gateway is still buffering its body', async () => {
    const target = comparison.core.addScript(reply(200, [], 'ok'))
    const client = await openRawClient(comparison.gatewayPort)
    client.send(`${put(target, 'Content-Length: 9')}part`)
    await sleep(20)
    disconnectBy[manner](client)
    await expectService()
    expect(comparison.core.requestsAt(target)).toEqual([])
  })
})

describe('clients that disconnect in every phase', () => {
  const openFiles = async () => (await readdir(`/proc/${comparison.gatewayPid}/fd`)).length

  it('leave no connection open, neither their own nor one to the core', async () => {
    await expectService()
    const [files, connections] = [await openFiles(), comparison.core.openConnections()]
    for (const [, phase] of phases) {
      await Promise.all(
        Array.from({ length: 20 }, () => disconnectIn(comparison.gatewayPort, phase, 'resets')),
      )
    }
    await expect.poll(() => comparison.core.openConnections(), pollOptions).toBeLessThanOrEqual(connections)
    await expect.poll(openFiles, pollOptions).toBeLessThanOrEqual(files)
  })
})

describe('a core that disconnects', () => {
  const disconnect = (outgoing: ServerResponse) => outgoing.socket?.resetAndDestroy()

  it.each<[name: string, script: Script, message: (target: string) => string]>([
    ['before its head', disconnect, get],
    [
      'inside its head',
      ({ socket }) => socket?.write('HTTP/1.1 200 OK\r\nContent-', () => socket.resetAndDestroy()),
      get,
    ],
    [
      'inside the body of the request',
      (outgoing, incoming) => incoming.once('data', () => disconnect(outgoing)),
      partInChunks,
    ],
  ])('causes a 502 if there is no response: %s', async (_, script, message) => {
    const target = comparison.core.addScript(script)
    await expect(sendRaw(comparison.corePort, message(target))).rejects.toThrow('the connection ended')
    const through = await sendRaw(comparison.gatewayPort, message(target))
    const expected = message === get ? errorOfRead('core_bad_response') : errorBody('core_bad_response')
    expect([through.status, through.body]).toEqual([502, JSON.stringify(expected)])
    expect(comparison.core.requestsAt(target)).toHaveLength(2)
  })

  it.each<[name: string, headers: readonly string[], body: string]>([
    ['between its head and its body', ['Content-Length', '9'], ''],
    ['inside a body of a known length', ['Content-Length', '9'], 'part'],
    ['inside a body in chunks', [], 'part'],
  ])('has its partial response forwarded before the connection closes: %s', async (_, headers, body) => {
    const cores: ServerResponse[] = []
    const target = comparison.core.addScript((outgoing) => {
      startResponse(outgoing, 200, ...headers)
      if (body !== '') outgoing.write(body)
      cores.push(outgoing)
    })
    const send = async (port: number) => {
      const client = await openRawClient(port)
      client.send(get(target))
      await expect.poll(client.text, pollOptions).toMatch(body === '' ? '\r\n\r\n' : body)
      cores.at(-1)?.destroy()
      const response = await client.receiveResponse()
      await client.waitForClose()
      return response
    }
    const [direct, through] = [await send(comparison.corePort), await send(comparison.gatewayPort)]
    expect(direct.complete).toBe(false)
    expect(through.body).toBe(body)
    expectSame(direct, through)
  })

  it.each([
    ['in chunks', partInChunks],
    ['of a known length', partOfMegabytes],
  ])('has its error response forwarded if it rejects a request body %s', async (_, message) => {
    const target = comparison.core.addScript((outgoing, incoming) => {
      incoming.once('data', () => reply(413, ['Connection', 'close'], 'too large')(outgoing, incoming))
    })
    const response = await expectSameResponse(comparison, message(target))
    expect(response).toMatchObject({ status: 413, body: 'too large', complete: true })
  })
})
