import { beforeAll, describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { startComparisonRecorder } from '#migration/control/evidence/comparison-recorder.ts'
import type { ComparisonResult, ComparisonTask, CopiedResponse } from '#migration/shadow/comparison-tasks.ts'
import { countCases } from '#test/support/count-cases.ts'
import { createLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { createRandom } from '#test/support/random.ts'
import { copied, fetchAsCore, openComparer, parseJson, shadowedRequest } from './comparer-fixtures.ts'

// Occurs in every secret, in upper or lower case.
const marker = 'zqxj'

const secretsFor = (number: number) => [
  `${marker}${number}`,
  `${marker.toUpperCase()} ${number}`,
  `${marker}_code`,
  `${marker}-token-${'a'.repeat(40)}`,
  `person.${marker}.${number}@example.com`,
  `https://${marker}.example.com/${marker}?sig=${marker}`,
  `s3://${marker}/${number}`,
  `eyJhbGciOiJ9.${marker}${marker}.${marker}${marker}`,
  `/v1/${marker}/${marker}`,
]

const headerNames = [
  'content-type',
  'allow',
  'location',
  'retry-after',
  'www-authenticate',
  'accept-ranges',
  'content-range',
  'etag',
  'cache-control',
  'x-service-core-runtime',
  `x-${marker}`,
]

const statuses = [200, 200, 200, 400, 401, 403, 404, 409, 500, 302]
const labels: readonly Label[] = ['libraries.detail', 'tracks.detail', 'libraries.list', 'packs.detail']

describe('the results of comparisons', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const { compare, log } = openComparer(gateway)
  let valid: Record<string, unknown>
  let target: string
  let account: Awaited<ReturnType<typeof gateway.signUp>>
  beforeAll(async () => {
    account = await gateway.signUp()
    const { id } = await createLibrary(account, `${marker} library`)
    target = `/v1/libraries/${id}`
    valid = parseJson(await fetchAsCore(gateway, target, account))
  })

  const createTask = (number: number): ComparisonTask => {
    const random = createRandom(number)
    const pick = <T>(values: readonly T[]) => values[Math.floor(random() * values.length)]!
    const secrets = secretsFor(number)
    const value = (depth = 0): unknown => {
      if (depth < 3 && random() < 0.2) return { [pick(secrets)]: value(depth + 1), name: value(depth + 1) }
      if (depth < 3 && random() < 0.2) return [value(depth + 1), value(depth + 1)]
      return random() < 0.8 ? pick(secrets) : pick([null, true, 17, ''])
    }
    const document = () => {
      const body = { ...valid }
      const keys = [...Object.keys(body), 'records', 'error', 'ownerId', pick(secrets)]
      for (let changes = 0; changes < 3; changes++) body[pick(keys)] = value()
      return random() < 0.1 ? { records: [body, value()] } : random() < 0.05 ? value() : body
    }
    const failsAlike = random() < 0.2
    const response = (): CopiedResponse => {
      if (failsAlike)
        return copied(404, {
          error: pick([...secrets, 'library_not_found', 'forbidden']),
          [pick(secrets)]: value(),
        })
      const headers = Object.fromEntries(
        Array.from({ length: 3 }, () => [pick(headerNames), pick(secrets)] as const),
      )
      const text = random() < 0.1 ? pick(secrets) : JSON.stringify(document())
      return copied(pick(statuses), text, random() < 0.5 ? headers : {})
    }
    const request = {
      ...shadowedRequest(`${target}?limit=1&q=${encodeURIComponent(pick(secrets))}`, account),
      headers: { authorization: `Bearer ${pick(secrets)}`, cookie: pick(secrets) },
    }
    const id = String(number)
    return random() < 0.3
      ? { kind: 'shadow', label: 'libraries.detail', request, core: response() }
      : random() < 0.1
        ? {
            kind: 'confirm',
            id,
            label: 'libraries.detail',
            before: response(),
            after: response(),
            first: null,
          }
        : { kind: 'compare', label: pick(labels), request, native: response(), core: response() }
  }

  const evidenceKey = '1'.padStart(32, '0')
  const writeAll = async (results: readonly { label: Label; result: ComparisonResult }[]) => {
    const recorder = startComparisonRecorder({ db: gateway.database.db, instanceId: 'a', log })
    for (const [index, { label, result }] of results.entries())
      for (const difference of 'differences' in result ? result.differences : [])
        recorder.recordMismatch({ label, evidenceKey, difference, requestId: `request-${index}` })
    await recorder.close()
  }

  /** Reads everything that an operator can see about the mismatches. */
  const readEverywhere = async () => {
    const token = operatorTokens.rob
    const pages = ['/metrics', ...labels.map((label) => `/api/routes/${label}/evidence`)]
    const texts = await Promise.all(
      pages.map(async (path) => (await gateway.requestAdmin('GET', path, { token })).body),
    )
    const rows = await gateway.database.sql`select * from mismatch`
    expect(rows.length).toBeGreaterThan(20)
    return JSON.stringify([texts, rows, gateway.log.lines]).toLowerCase()
  }

  it('contain no secret from a body, key, header, error code, query or token, wherever they are shown', async () => {
    const cases = countCases(10_000, 0.01)
    let differences = 0
    for (let start = 0; start < cases; start += 100) {
      const numbers = Array.from({ length: 100 }, (_, index) => start + index)
      const tasks = numbers.map(createTask)
      for (const task of tasks)
        if (task.kind === 'confirm')
          await compare({ ...task, kind: 'keep-native', request: shadowedRequest(target, account) })
      const results = await Promise.all(tasks.map(compare))
      for (const result of results) {
        expect(JSON.stringify(result).toLowerCase()).not.toContain(marker)
        expect(result.kind).not.toBe('dropped')
        if ('differences' in result) differences += result.differences.length
      }
      await writeAll(tasks.map(({ label }, index) => ({ label, result: results[index]! })))
    }
    expect(differences).toBeGreaterThan(cases)
    expect(log.lines).toEqual([])
    expect(await readEverywhere()).not.toContain(marker)
  }, 300_000)
})
