import { Hono } from 'hono/tiny'
import { ApiError, describeField } from '#contracts/errors.ts'
import type { Reader } from '#db/client/connection.ts'
import { saveContractResults } from '#db/queries/evidence/contract-results.ts'
import { listLiveKeys } from '#db/queries/routing/gateway-instances.ts'
import { ContractReport } from '../parity/report/contract-report.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { createCountSums, readEvidence } from './read-evidence.ts'
import type { GateReaders } from './read-gate.ts'
import { acceptsRemembered, evidenceMaxAgeMs, rememberReads } from './remember-reads.ts'
import { LabelParams, validate } from './requests.ts'
import { sendJson } from './route-endpoints.ts'

const maxClockDifferenceMs = 5 * 60_000

// A later run would be ignored until that time.
const requirePast = (finishedAt: string) => {
  if (Date.parse(finishedAt) - Date.now() <= maxClockDifferenceMs) return
  throw new ApiError('validation_error', {
    issues: [
      describeField('finishedAt', 'must not be in the future: check the clock of the machine of the run'),
    ],
  })
}

/** The routes that running instances serve with other code than that of the results. */
const listOtherCode = async (db: Reader, results: ContractReport['results']) => {
  const live = await listLiveKeys(db)
  const otherCode = results.flatMap(({ label, evidenceKey }) => {
    const instances = live.filter((keys) => (keys[label] ?? evidenceKey) !== evidenceKey).length
    return instances === 0 ? [] : [{ label, instances }]
  })
  return { instances: live.length, otherCode }
}

/** The endpoints that store the results of contract runs, and show what is stored about a route. */
export const createEvidenceEndpoints = (options: OperatorApiOptions, readGate: GateReaders): OperatorApp => {
  const { database, log, routing, now = Date.now } = options
  const app: OperatorApp = new Hono()
  const sumCounts = createCountSums(options)
  const remember = rememberReads<Awaited<ReturnType<typeof readEvidence>>>(evidenceMaxAgeMs, now)

  app.post(
    '/api/contract-results',
    requireRole('report'),
    validate('json', ContractReport),
    async ({ req, get }) => {
      const { finishedAt, results } = req.valid('json')
      requirePast(finishedAt)
      const { name: who } = get('operator')
      const rows = results.map((result) => ({ ...result, who, at: finishedAt }))
      const stored = new Set(await database.db.transaction((tx) => saveContractResults(tx, rows)))
      if (rows.length > 0)
        log.info({ operator: who, results: stored.size, finishedAt }, 'contract results stored')
      const outdated = rows.map(({ label }) => label).filter((label) => !stored.has(label))
      return sendJson({ stored: stored.size, outdated, ...(await listOtherCode(database.reader, results)) })
    },
  )

  app.get(
    '/api/routes/:label/evidence',
    requireRole('read'),
    validate('param', LabelParams),
    async ({ req }) => {
      const { label } = req.valid('param')
      const isRemembered = acceptsRemembered(req.header('cache-control'))
      const read = () => readEvidence(options, label, { sumCounts, readGate: readGate.present })
      return sendJson(await (isRemembered ? remember(`${label} ${routing.current().epoch}`, read) : read()))
    },
  )
  return app
}
