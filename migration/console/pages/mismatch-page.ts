import { html } from 'hono/html'
import { isLabel } from '#contracts/shared/row.ts'
import { dayMs } from '#shared/durations.ts'
import { formatCommand } from '#shared/format-command.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { isAllowed } from '../../api/operator-middleware.ts'
import { ApiFailure } from '../api-client.ts'
import type { Evidence, Mismatch } from '../api-types.ts'
import type { ConsoleApp } from '../console-options.ts'
import type { ConsoleTools } from '../respond.ts'
import { renderKill } from '../views/change-forms.ts'
import { renderBadge, renderTime, routePath } from '../views/html.ts'

// Imported only for these pages, because it loads all contracts.
const writeReproduction = async (label: string, found: Mismatch) => {
  const { writeScenario } = await import('../../parity/reproduce/write-scenario.ts')
  return isLabel(label) ? writeScenario(label, found) : null
}

const acceptedDays = 60

const formatAcceptance = (label: string, { path, kind }: Mismatch) => {
  const expires = formatDay(Date.now() + acceptedDays * dayMs)
  // A read that came after a write is judged by the read's own entries.
  const [, read = label, ownPath = path] = /^(\S+) (.*)$/.exec(path) ?? []
  return `  {
    label: '${read}',
    path: '${ownPath}',
    kind: '${kind}',
    reason: '…',
    owner: '…',
    expires: '${expires}',
  },`
}

const whyNotAcceptable = ({ class: found, kind }: Mismatch) => {
  if (found === 'critical') return 'Data that must never leave the service is never accepted.'
  return kind === 'effect' ? 'What a write has not stored is never accepted.' : null
}

const renderAcceptance = (label: string, found: Mismatch) => {
  const reason = whyNotAcceptable(found)
  if (reason !== null) return html`<p>${reason}</p>`
  return html`<p>Accepted differences are reviewed and stored in git. Add this entry to <code>migration/parity/accepted-differences.ts</code>, with the reason and the team that will remove the difference:</p><pre>${formatAcceptance(label, found)}</pre>`
}

const renderFacts = (found: Mismatch) => html`<dl class="panel">
<dt>Class</dt><dd>${renderBadge(found.class, found.class === 'transient' ? 'warn' : 'bad')}</dd>
<dt>Where</dt><dd>${found.kind} at <code>${found.path}</code></dd>
<dt>Native had</dt><dd><code>${found.exampleNative ?? 'nothing'}</code></dd>
<dt>The core had</dt><dd><code>${found.exampleCore ?? 'nothing'}</code></dd>
<dt>Blame</dt><dd>${found.blame}</dd>
<dt>Found</dt><dd>${found.count} times, first ${renderTime(found.firstAt)}, last ${renderTime(found.lastAt)}</dd>
<dt>Code</dt><dd><code>${found.evidenceKey}</code></dd>
<dt>Requests</dt><dd>${found.requestIds.map((id) => html`<code>${id}</code> `)}</dd>
</dl>`

export const mountMismatchPage = (app: ConsoleApp, { api, respond }: ConsoleTools): void => {
  app.get('/console/routes/:label/mismatches/:signature', async (context) => {
    const { label, signature } = context.req.param()
    const path = `/api/routes/${encodeURIComponent(label)}/evidence`
    const { mismatches } = await api.read<Evidence>(context.get('operator'), path)
    const found = mismatches.find((each) => each.signature === signature)
    if (!found)
      throw new ApiFailure(
        404,
        `No current difference of ${label} has this signature: it was last found more than 7 days ago, or the code has changed since.`,
      )
    const written = await writeReproduction(label, found)
    return respond.page(context, {
      title: `Difference of ${label}`,
      section: '/console',
      body: html`<p><a href="${routePath(label)}">${label}</a> · <code>${signature}</code></p>${isAllowed(context.get('operator'), 'change') && html`<p>${renderKill(label)}</p>`}${renderFacts(found)}
<h2>Reproduce it</h2>${written ? html`<p>Add this file as <code>${written.file}</code>: the contract run then fails until native is fixed. <code>${formatCommand('routes', 'reproduce', label, signature)}</code> prints it too.</p><pre>${written.scenario}</pre>` : html`<p>${label} is not a GET that both sides serve: write its scenario by hand.</p>`}
<h2>Accept it</h2>${renderAcceptance(label, found)}`,
    })
  })
}
