import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, readConnection } from '#migration/cli/connection.ts'
import { CommandError, exitCodes } from '#migration/cli/exit-codes.ts'
import { requestApi } from '#migration/cli/request.ts'
import { ContractResultsResponse } from '#migration/cli/responses.ts'
import { nativeUnavailableReason } from '#migration/diff/confirm.ts'
import { identifyBuild } from '#migration/evidence-keys/evidence-key.ts'
import { openSourceTree } from '#migration/evidence-keys/source-tree.ts'
import type { ContractReport } from '#migration/parity/report/contract-report.ts'
import type { ParityReport } from '#migration/parity/report/summary.ts'
import { dayMs } from '#shared/durations.ts'
import { formatCountOf } from '#shared/format-quantity.ts'

export class PostError extends Error {
  override name = 'PostError'
}

const findEndOfValidity = ({ comparisons }: ParityReport['run'], label: string) => {
  const days = comparisons
    .filter((comparison) => comparison.label === label)
    .flatMap(({ differences }) => differences.flatMap(({ expires }) => expires ?? []))
  const [first] = days.sort()
  return first === undefined ? null : new Date(Date.parse(first) + dayMs).toISOString()
}

const toContractReport = ({ run, summary }: ParityReport): ContractReport => {
  const keys = new Map(run.rows.map(({ label, evidenceKey }) => [label, evidenceKey]))
  return {
    finishedAt: run.finishedAt,
    results: summary.rows.flatMap(({ label, problems, forbiddingDifferences }) => {
      const evidenceKey = keys.get(label) ?? null
      if (evidenceKey === null) return []
      const validUntil = findEndOfValidity(run, label)
      return [{ label, evidenceKey, problems, forbiddingDifferences, validUntil }]
    }),
  }
}

const maxNamed = 10

const formatList = (items: readonly string[]) =>
  items.length <= maxNamed
    ? items.join(', ')
    : `${items.slice(0, maxNamed).join(', ')} and ${items.length - maxNamed} more`

/** Throws if the machine was too busy for native, because then the result says nothing about either side. */
const requireAvailable = ({ comparisons }: ParityReport['run']) => {
  const unavailable = comparisons.filter(({ differences }) =>
    differences.some(({ reason }) => reason === nativeUnavailableReason),
  )
  if (unavailable.length === 0) return
  const labels = formatList([...new Set(unavailable.map(({ label }) => label))])
  throw new PostError(
    `native was briefly unavailable during the run, so nothing was posted: run it again on a less busy machine (${labels})`,
  )
}

const requireSameSources = ({ results }: ContractReport) => {
  const keys: ReadonlyMap<string, string> = identifyBuild(openSourceTree()).keys
  const changed = results.filter(({ label, evidenceKey }) => keys.get(label) !== evidenceKey)
  if (changed.length === 0) return
  const labels = formatList(changed.map(({ label }) => label))
  throw new PostError(`the sources of ${labels} changed during the run, so nothing was posted: run it again`)
}

const formatPosted = (adminUrl: string, response: ContractResultsResponse): readonly string[] => {
  const { stored, outdated, instances, otherCode } = response
  return [
    `posted the results of ${formatCountOf(stored, 'route')} to ${adminUrl}`,
    ...(outdated.length > 0
      ? [
          `${formatCountOf(outdated.length, 'route')} skipped, because results from a later run are already stored: ${formatList(outdated)}`,
        ]
      : []),
    ...(otherCode.length > 0
      ? [
          `running instances serve ${otherCode.length} of them with different code, and these results do not count for that code: ${formatList(
            otherCode.map((other) => `${other.label} (${other.instances} of ${instances} instances)`),
          )}`,
        ]
      : []),
  ]
}

const stateDir = join(import.meta.dirname, '../../.data')

const attempts = 3
const retryDelayMs = 2000

const isUnreachable = (error: unknown) =>
  error instanceof CommandError && error.exitCode === exitCodes.unreachable

/** Posts a report. Posting it again changes nothing, so a failure may be retried. */
const sendReport = async (connection: Connection, report: ContractReport, attempt = 1) => {
  try {
    return await requestApi(connection, ContractResultsResponse, 'POST', '/api/contract-results', report)
  } catch (error) {
    if (!isUnreachable(error) || attempt >= attempts) throw error
    await sleep(retryDelayMs)
    return sendReport(connection, report, attempt + 1)
  }
}

const asPostError = (error: unknown): never => {
  throw error instanceof CommandError ? new PostError(error.message, { cause: error }) : error
}

/**
 * Checks the address, the token and the token's role before the run, which takes minutes. Returns a function that posts
 * the run's results and describes the outcome. Both functions throw `PostError`.
 */
export const preparePost = async (environment: Readonly<Record<string, string | undefined>>) => {
  const connection = await readConnection(environment, stateDir).catch(asPostError)
  await sendReport(connection, { finishedAt: new Date().toISOString(), results: [] }, attempts).catch(
    asPostError,
  )
  return async (parityReport: ParityReport) => {
    requireAvailable(parityReport.run)
    const report = toContractReport(parityReport)
    requireSameSources(report)
    return formatPosted(connection.adminUrl, await sendReport(connection, report).catch(asPostError))
  }
}
