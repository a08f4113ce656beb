import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { fillPath, labels, rowOf } from '#contracts/shared/row.ts'
import { listTwoSidedRoutes } from '#dev/contract/comparison.ts'
import { readBody } from '#migration/diff/recorded-response.ts'
import { findUnwritten } from '#migration/diff/written.ts'
import { listReadsAfter } from '#migration/parity/paired-reads.ts'
import { createFreshAccountSource } from '#migration/parity/run/accounts.ts'
import { compareDeployments } from '#migration/parity/run/compare-deployments.ts'
import { createSandboxSession } from '#migration/parity/run/session.ts'
import { isObject } from '#shared/json.ts'
import { startBothSides } from '#test/migration/parity/run/two-sides.ts'
import { scenarios } from '#test/scenarios/index.ts'

const writes = labels.filter(
  (label) => rowOf(label).effects === 'write' && rowOf(label).runtime !== 'native-only',
)

const paramsOf = (label: Label, path: string) => {
  const values = path.split('?')[0]?.split('/') ?? []
  const names = rowOf(label).path.split('/')
  if (names.length !== values.length) return null
  if (names.some((name, index) => !name.startsWith(':') && name !== values[index])) return null
  return Object.fromEntries(
    names.flatMap((name, index) => (name.startsWith(':') ? [[name.slice(1), values[index] ?? '']] : [])),
  )
}

const readText = async (request: IncomingMessage) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('every native write in the scenarios', { timeout: 400_000 }, () => {
  const sides = startBothSides()
  const contradictions: string[] = []
  const compared = new Map<Label, number>()
  let origin = ''

  const compareWithCore = async (
    { method, url = '', headers }: IncomingMessage,
    request: string,
    response: { readonly status: number; readonly text: string },
  ) => {
    const label = writes.find((each) => rowOf(each).method === method && paramsOf(each, url))
    const params = label && paramsOf(label, url)
    if (!label || !params || response.status >= 300) return
    const sent = readBody(request)
    const body = readBody(response.text)
    const write = {
      label,
      params,
      request: sent.kind === 'json' ? sent.value : undefined,
      response: { status: response.status, headers: {}, body },
    }
    const returned = body.kind === 'json' && isObject(body.value) ? body.value : null
    for (const read of listReadsAfter(label, params, returned)) {
      const core = await fetch(sides.core + fillPath(read.label, read.params), {
        headers: { authorization: headers.authorization ?? '' },
      })
      const observed = { status: core.status, headers: {}, body: readBody(await core.text()) }
      compared.set(label, (compared.get(label) ?? 0) + 1)
      for (const { path, example } of findUnwritten(write, read.label, observed))
        contradictions.push(`${label}: ${read.label} ${path}, ${example.native} and ${example.core}`)
    }
  }

  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const request = await readText(incoming)
    const { method = 'GET', url = '/', headers } = incoming
    const response = await fetch(sides.native + url, {
      method,
      headers: { authorization: headers.authorization ?? '' },
      redirect: 'manual',
      ...(request === '' ? {} : { body: request }),
    })
    const text = await response.text()
    await compareWithCore(incoming, request, { status: response.status, text })
    outgoing
      .writeHead(response.status, { 'content-type': response.headers.get('content-type') ?? '' })
      .end(text)
  }

  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing).catch(() => outgoing.destroy())
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  it('can be read back from the core as it was requested and returned', async () => {
    await compareDeployments({
      deployments: {
        native: { name: 'native', origin },
        core: { name: 'core', origin: sides.core },
        accounts: createFreshAccountSource(sides.gateway.issuer.mintToken),
        session: createSandboxSession(),
        hasSharedState: true,
      },
      scenarios: scenarios.filter(({ label, status }) => status < 300 && writes.includes(label)),
      routes: listTwoSidedRoutes(),
      createProgress: () => () => {},
    })
    expect(contradictions).toEqual([])
    expect(compared.size).toBeGreaterThan(15)
  })
})
