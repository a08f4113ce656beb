import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { storedDurationBuckets } from '#shared/histogram.ts'
import { createSandbox } from '../../start/start-sandbox.ts'

const intervalMs = 600_000
const thisInterval = () => Math.floor(Date.now() / intervalMs)

const createDurations = (requests: number, durationMs: number) => {
  const counts: number[] = []
  const add = (ms: number, count: number) => {
    const bucket = storedDurationBuckets.bucketOf(ms)
    while (counts.length <= bucket) counts.push(0)
    counts[bucket] = (counts[bucket] ?? 0) + count
  }
  const slow = Math.floor(requests / 10)
  add(durationMs, requests - slow)
  add(2 * durationMs, slow)
  return counts
}

const root = join(import.meta.dirname, '../../..')

export const startShownSandbox = async (stateDir: string) => {
  const sandbox = createSandbox({
    stateDir,
    given: { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', JOBS_ADMIN_PORT: '0', LOG_LEVEL: 'fatal' },
  })
  const { gateway, databaseUrl } = await sandbox.start()
  const adminUrl = gateway.adminUrl ?? ''
  const token = (await readFile(join(stateDir, 'operator-token'), 'utf8')).trim()
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })

  const call = async (method: string, path: string, body: object) => {
    const response = await fetch(`${adminUrl}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${method} ${path} was rejected: ${await response.text()}`)
  }
  const change = (scope: string, kind: string, reason: string, more: object = {}) =>
    call('POST', `/routes/${encodeURIComponent(scope)}/changes`, { change: { kind, ...more }, reason })

  const findRunningKey = async (label: string) => {
    const [row] = await sql<{ key: string }[]>`select keys ->> ${label} as key from gateway_instance limit 1`
    return row?.key ?? ''
  }

  return {
    adminUrl,
    token,
    change,
    override: (accountId: string, scope: string, side: string, reason: string) =>
      call('PUT', '/overrides', { accountId, scope, side, until: null, reason }),

    sendTraffic: (seconds: number) =>
      promisify(execFile)(process.execPath, [
        ...[join(root, 'dev/sandbox/traffic/main.ts'), '--url', gateway.url, '--state-dir', stateDir],
        ...['--accounts', '100', '--rate', '40', '--seconds', String(seconds)],
      ]),

    /** Stores what an automatic stop would store. */
    async stop(label: string) {
      const key = await findRunningKey(label)
      await sql.begin(async (tx) => {
        const [{ epoch } = { epoch: 0 }] = await tx<{ epoch: number }[]>`
          update routing_epoch set epoch = epoch + 1 returning epoch`
        await tx`update route_state set state = 'shadow', weight_bp = 0, failed_evidence_key = ${key},
          version = version + 1 where scope = ${label}`
        await tx`insert into route_audit (id, who, scope, action, before, after, reason, epoch)
          values (gen_random_uuid(), 'auto', ${label}, 'rollback', '{"stage": "canary", "weightBp": 2500}',
            '{"stage": "shadow", "weightBp": 0}', 'native fails more often than expected, seen on one instance', ${epoch})`
        await tx`select pg_notify('crossfade_routing', ${String(epoch)})`
      })
    },

    /**
     * Stores what each side served on a route in the last day, and that the route's code was deployed during that day.
     */
    async addHistory(label: string) {
      const counts = Array.from({ length: 140 }, (_, index) => {
        const core = 30 + Math.round(20 * Math.sin(index / 20))
        const native = index < 60 ? Math.round(core / 4) : 0
        const wave = 1 + 0.3 * Math.sin(index / 3)
        const interval_start = new Date(intervalMs * (thisInterval() - index - 1))
        const native5xx = index % 37 === 5 && native > 0 ? 1 : 0
        return {
          ...{ label, instance_id: 'earlier', interval_start },
          ...{ native2xx: native, native3xx: 0, native4xx: 0, native5xx },
          ...{ core2xx: core, core3xx: 0, core4xx: 0, core5xx: 0 },
          native_durations: createDurations(native, 4 * wave),
          core_durations: createDurations(core, 7 * wave),
        }
      })
      await sql`insert into route_counts ${sql(counts)}`
      await sql`insert into evidence_set (label, evidence_key, test, mismatches, critical, folded, first_at)
        values (${label}, '4d5b41aa0402c7433887cab7b6f52545', '{}', '{}', 0, '{}', now() - interval '3 days'),
          (${label}, '9c27e0f15b3da86e4417d02a6c985be3', '{}', '{}', 0, '{}', now() - interval '15 hours')`
    },

    async addDifference(label: string) {
      const signature = '3f1c9a2b7d40e658'
      const evidence_key = await findRunningKey(label)
      const row = {
        ...{ label, signature, evidence_key, kind: 'value', class: 'regression' },
        ...{ path: 'body.records[].primary_artist', blame: 'native', example_native: '<text of 12>' },
        ...{ example_core: null, count: 3, request_ids: [crypto.randomUUID(), crypto.randomUUID()] },
        ...{ first_at: new Date(), last_at: new Date() },
      }
      await sql`insert into mismatch ${sql(row)}`
      return signature
    },

    async addSilentInstance() {
      await sql`insert into gateway_instance (id, build, keys, epoch, beat_at)
        values ('web-7f9c-2', 'x', '{}', 1, statement_timestamp() - interval '40 seconds')`
    },

    async end() {
      await sql.end()
      await sandbox.stop()
    },
  }
}

export type ShownSandbox = Awaited<ReturnType<typeof startShownSandbox>>
