import { expect, it } from 'vitest'
import { withTimeout } from '#shared/with-timeout.ts'
import { isInstalledOrSkipped } from './installed-programs.ts'
import { findValue, parseMetrics } from './metrics.ts'
import { requestAt } from './request-at.ts'

const hasPromtool = isInstalledOrSkipped('prometheus', 'the tests of alerts')

/** Defines a test that evaluates alert rules. It is skipped if `promtool` is not installed. */
export const itWithPromtool = (title: string, work: () => Promise<void>) =>
  it.runIf(hasPromtool)(title, { timeout: 180_000 }, work)

/** The names that docs/runbook.md gives to the Prometheus jobs. */
export const gatewayJob = 'crossfade-gateway'
export const jobsJob = 'crossfade-jobs'

interface ScrapeTarget {
  readonly adminUrl: string | null
}

const scrapeTimeoutMs = 5000

export const scrape = async ({ adminUrl }: ScrapeTarget): Promise<string> => {
  if (adminUrl === null) throw new Error('this process has no admin listener')
  const { body } = await withTimeout(scrapeTimeoutMs, requestAt(adminUrl, 'GET', '/metrics'), () => {
    throw new Error(`the admin listener has not responded within ${scrapeTimeoutMs} ms`)
  })
  return body
}

export const scrapeDuring = async (target: ScrapeTarget, fail: () => Promise<unknown>) => {
  const scrapes: string[] = []
  for (let round = 0; round < 5; round += 1) {
    await fail()
    scrapes.push(await scrape(target))
  }
  return scrapes
}

interface ExpectedSample {
  readonly metric: string
  readonly labels?: Readonly<Record<string, string>>
  /** The value is undefined while the metric has no sample with these labels. */
  readonly isReached: (value: number | undefined) => boolean
  readonly fail?: () => unknown
}

export const scrapeUntil = async (
  target: ScrapeTarget,
  { metric, labels, isReached, fail }: ExpectedSample,
): Promise<string> => {
  let text = ''
  const readValue = async () => {
    await fail?.()
    text = await scrape(target)
    return findValue(parseMetrics(text), metric, labels)
  }
  await expect.poll(readValue, { timeout: 90_000, interval: 100 }).toSatisfy(isReached)
  return text
}

export const isAbove = (limit: number) => (value: number | undefined) => value !== undefined && value > limit

export const repeat = (count: number, work: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, work))
