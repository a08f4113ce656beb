import { ApiError } from '#contracts/errors.ts'
import { callback } from '#contracts/media-intelligence.ts'
import {
  findMediaDispatch,
  insertDispatchCallback,
  markDispatched,
} from '#db/queries/media/media-dispatches.ts'
import { failAnalysis, lockUnfinishedDispatch } from '#db/queries/processing/analysis-outcomes.ts'
import { defineWebhook } from '../define-webhook.ts'
import { applyAnalysisResults } from './apply-results.ts'

// The analysis service's error may expose internals, so the track's owner sees this one instead.
const analysisFailed = { code: 'analysis_failed', message: 'The audio could not be analysed.' }

export const receiveAnalysis = defineWebhook(
  callback,
  ({ callbackId, dispatchId, status, results = {} }, { db }) =>
    db.tx(async (tx) => {
      const found = await findMediaDispatch(tx, dispatchId)
      if (!found) throw new ApiError('media_dispatch_not_found')
      const open = await lockUnfinishedDispatch(tx, found)
      // A running dispatch was already called back, and its stems are being imported.
      const isAwaited = open?.isCurrent === true && open.status !== 'running'
      const outcome = isAwaited ? 'applied' : 'stale'
      const isNew = await insertDispatchCallback(tx, { callbackId, dispatchId, outcome })
      if (!isNew) return { ok: true, status: 'duplicate' }
      // The callback may arrive before the job has marked the dispatch as sent.
      if (isAwaited) await markDispatched(tx, dispatchId)
      if (isAwaited && status === 'succeeded') await applyAnalysisResults(tx, open, results)
      if (isAwaited && status === 'failed') await failAnalysis(tx, open, analysisFailed)
      return { ok: true, status: outcome }
    }),
)
