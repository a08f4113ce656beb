import { CommandError, exitCodes } from './exit-codes.ts'
import { formatChange } from './format.ts'
import { ChangeResponse, type Instances, InstancesResponse } from './responses.ts'
import { defineVerb, reasonFlag, requireReason, type Send } from './verb.ts'

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

const parseSilence = (text: string) => {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([smh])$/.exec(text) ?? []
  return count === undefined ? null : Number(count) * (secondsOf[unit] ?? 0)
}

// Sends a full id unchecked, so that the gateway can say what is wrong with it.
const selectIds = (operands: readonly string[], unknown: Instances, silentForS: number | undefined) => {
  const silentFor = (seconds: number) =>
    unknown.filter(({ lastReportAgeS }) => lastReportAgeS >= seconds).map(({ id }) => id)
  const patterns = operands.length === 0 ? ['*'] : operands
  const matches = (pattern: string) => {
    // The default of a minute spares running instances that could not report during a short database outage.
    if (pattern.endsWith('*'))
      return silentFor(silentForS ?? 60).filter((id) => id.startsWith(pattern.slice(0, -1)))
    return silentForS === undefined || silentFor(silentForS).includes(pattern) ? [pattern] : []
  }
  return [...new Set(patterns.flatMap(matches))]
}

/** Skips instances that report again or are gone. Throws if the gateway rejected every one. */
const forgetEach = async (ids: readonly string[], reason: string, send: Send) => {
  const forgotten: string[] = []
  const rejections: CommandError[] = []
  let last: ChangeResponse | undefined
  for (const id of ids) {
    try {
      last = await send(ChangeResponse, 'DELETE', `/api/instances/${encodeURIComponent(id)}`, { reason })
      forgotten.push(id)
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode !== exitCodes.rejected) throw error
      rejections.push(error)
    }
  }
  if (last === undefined) throw rejections[0]
  return { last, forgotten, notForgotten: rejections.map(({ message }) => message) }
}

export const forget = defineVerb({
  takes: 'forget INSTANCE...',
  means: "stops waiting for instances that are gone; '0199*' matches every id that begins with 0199",
  flags: {
    'silent-for': {
      type: 'string',
      takes: 'TIME',
      means: 'only instances silent for at least this long, such as 90s, 2m or 1h; default for a prefix: 1m',
    },
    reason: reasonFlag,
  },
  async run({ values, operands, fail }, send) {
    const { 'silent-for': silence } = values
    if (operands.length === 0 && silence === undefined) fail('name instances or set --silent-for TIME')
    const silentForS = silence === undefined ? undefined : parseSilence(silence)
    if (silentForS === null) return fail('--silent-for must be a duration such as 90s, 2m or 1h')
    const reason = requireReason(values.reason, fail)
    const { unknown } = await send(InstancesResponse, 'GET', '/api/instances')
    const ids = selectIds(operands, unknown, silentForS)
    if (ids.length === 0)
      throw new CommandError(
        exitCodes.rejected,
        'Nothing to forget: every matching instance is still reporting or has already been forgotten.',
      )
    const { last, forgotten, notForgotten } = await forgetEach(ids, reason, send)
    const text = [`forgot ${forgotten.join(', ')}`, ...notForgotten, formatChange(last)].join('\n')
    return { json: { forgotten, notForgotten, ...last }, text }
  },
})
