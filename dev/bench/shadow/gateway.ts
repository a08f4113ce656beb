import { openProcessLog, readSettingsOrExit, shutDownOnSignal } from '#bin/process/lifecycle.ts'
import { startGateway } from '#bin/start-gateway.ts'
import { readSettings } from '#gateway/settings/settings.ts'

// A gateway with production settings, except for its comparisons: it lets an account count more often, and can compare
// faulty handlers or a larger share of responses.
const settings = await readSettingsOrExit(readSettings)
const { log } = openProcessLog(settings)
const { BENCH_FAULT: fault, BENCH_ASKED_PERCENT: askedPercent } = process.env
const gateway = await startGateway({
  settings,
  log,
  ...(fault === undefined
    ? {}
    : { comparedHandlers: new URL(`./faulty-handlers.ts?fault=${fault}`, import.meta.url) }),
  comparisonRates: {
    minuteMs: 100,
    ...(askedPercent === undefined ? {} : { askedPercent: Number(askedPercent) }),
  },
})
shutDownOnSignal(log, () => gateway.close(0))
process.send?.({ url: gateway.url })
