import { constants, setPriority } from 'node:os'
import { afterAll, expect } from 'vitest'
import { type Comparer, createComparer } from '#migration/shadow/compare.ts'
import type { ComparisonResult, CopiedResponse } from '#migration/shadow/comparison-tasks.ts'
import type { ShadowedRequest } from '#migration/shadow/run-shadowed.ts'
import type { ChildLimits } from '#migration/shadow/spawn-child.ts'
import type { TestAccount, TestGateway } from '#test/support/gateway.ts'
import { createRecordingLog, type RecordingLog } from '#test/support/recording-log.ts'

/** These are long unless tests wait for them, because the child may have the lowest priority on a busy machine. */
const generousLimits = { backoffMs: 20, responseTimeoutMs: 30_000, queueLength: 10_000 }

// Only root may raise a priority. On a busy machine, a child with the lowest priority takes half a minute to start, and
// sends the parts of a statement so slowly that the statement times out.
const raisePriority = (pid: number) => {
  try {
    setPriority(pid, constants.priority.PRIORITY_NORMAL)
  } catch {
    // If this fails, the child is slower or has already ended.
  }
}

interface ComparerOptions {
  readonly limits?: Partial<ChildLimits>
  readonly handlersModule?: URL
  readonly settings?: () => object
}

/** Opens a gateway's comparer on first use, and closes it after the test file. */
export const openComparer = (
  gateway: TestGateway,
  { limits, handlersModule, settings = () => ({}) }: ComparerOptions = {},
) => {
  let opened: Comparer | undefined
  const log: RecordingLog = createRecordingLog()
  const open = () => {
    opened ??= createComparer({
      settings: { ...gateway.settings, ...settings() },
      listeningUrl: () => gateway.url,
      log,
      limits: { ...generousLimits, ...limits },
      handlersModule,
    })
    return opened
  }
  let raised: number | null = null
  const compare = (task: Parameters<Comparer['compare']>[0]): Promise<ComparisonResult> => {
    const comparer = open()
    const result = comparer.compare(task)
    const pid = comparer.pid()
    if (pid !== null && pid !== raised) raisePriority(pid)
    raised = pid
    return result
  }
  afterAll(() => opened?.close())
  return {
    log,
    compare,
    pid: () => open().pid(),
    close: () => open().close(),
  }
}

export const shadowedRequest = (target: string, account: TestAccount | null = null): ShadowedRequest => {
  const [path = '', query = ''] = target.split('?')
  const { accountId = '', email = '' } = account ?? {}
  return {
    method: 'GET',
    path,
    query,
    headers: {},
    actor: account && { accountId, email, emailVerified: true },
  }
}

export const copied = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): CopiedResponse => ({
  status,
  headers: Object.entries({ 'content-type': 'application/json', ...headers }).flat(),
  body: Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

export const fetchAsCore = async (gateway: TestGateway, target: string, account: TestAccount | null) => {
  const response = await fetch(gateway.url + target, {
    redirect: 'manual',
    headers: account ? { authorization: `Bearer ${account.token}` } : {},
  })
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => !name.startsWith('x-service-') && name !== 'cache-control'),
  )
  return copied(response.status, Buffer.from(await response.arrayBuffer()), headers)
}

export const parseJson = ({ body }: CopiedResponse) => JSON.parse(body.toString())

/** One line per difference. */
export const describeResult = (result: ComparisonResult): readonly string[] => {
  expect(result).toMatchObject({ differences: expect.anything() })
  return 'differences' in result
    ? result.differences.map(
        ({ kind, path, class: differenceClass }) => `${kind} at ${path}, ${differenceClass}`,
      )
    : []
}
