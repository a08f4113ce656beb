import { html } from 'hono/html'
import { createHomePage } from '#gateway/pages/home-page.ts'
import type { HomeLink } from '#gateway/pages/render-home.ts'

interface SandboxAddresses {
  readonly baseUrl: string
  readonly consoleUrl: string | null
  /** The URL where the sandbox's issuer signs a demo token; null if the user has set a different issuer. */
  readonly tokenUrl: string | null
}

const style = `
.try { margin-top: 3rem } .try h2 { margin-top: 0 }
.token { margin: 1rem 0 2rem; align-items: center } .token p { margin: 0; flex: 1 1 14rem }
.token button { min-width: 11rem }
.steps { list-style: none; margin: 0; padding: 0; counter-reset: step }
.steps li { counter-increment: step; margin-top: 1.25rem } .steps p { margin: 0 0 .375rem }
.steps p::before { content: counter(step) ". "; color: var(--muted); font-variant-numeric: tabular-nums }
.command { display: flex; align-items: start; gap: .5rem; padding: .375rem .375rem .375rem 1rem; background: var(--raised); border-radius: var(--radius) }
.command pre { flex: 1; margin: 0; padding: .4rem 0; background: none }
.after { margin-top: 1.5rem }
.command button { min-height: 2.125rem; min-width: 5.25rem; padding: .2rem .6rem; font-size: var(--small) }
#token-text:not([hidden]) { flex: 1 0 100%; user-select: all }
@media (max-width: 40rem) {
  .token button { width: 100% }
  .steps li { display: grid; grid-template-columns: 1fr auto; align-items: center; gap: .5rem .75rem } .steps p { margin: 0 }
  .command { display: contents }
  .command pre { grid-row: 2; grid-column: 1 / -1; padding: .75rem 1rem; background: var(--raised) }
}
`

// Browsers offer the clipboard only to secure pages, and may refuse access. The script then selects the text, so that
// the user can copy it.
const script = `
const announcement = document.getElementById('announcement')

const say = (button, text) => {
  button.dataset.name ??= button.textContent
  button.textContent = text
  announcement.textContent = text
  clearTimeout(button.timer)
  button.timer = setTimeout(() => { button.textContent = button.dataset.name }, 2500)
}

const copy = async (button, target, reading) => {
  try {
    const content = reading.then((text) => new Blob([text], { type: 'text/plain' }))
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': content })])
    say(button, 'Copied')
  } catch {
    target.textContent = await reading
    target.hidden = false
    getSelection().selectAllChildren(target)
    say(button, 'Selected: copy it')
  }
}

const fetchToken = async (url) => {
  const response = await fetch(url, { method: 'POST', cache: 'no-store' })
  if (!response.ok) throw new Error('the issuer returned ' + response.status)
  return response.text()
}

for (const button of document.querySelectorAll('.command button')) {
  const code = button.parentElement.querySelector('code')
  button.addEventListener('click', () => copy(button, code, Promise.resolve(code.textContent)))
  button.hidden = false
}

const button = document.querySelector('.token button')
button?.addEventListener('click', async () => {
  const target = document.getElementById('token-text')
  target.hidden = true
  try {
    await copy(button, target, fetchToken(button.dataset.url))
  } catch {
    target.textContent = 'npm run -s token'
    target.hidden = false
    say(button, 'No token: run this')
  }
})
if (button) button.hidden = false
`

const renderCommand = (title: string, command: string) => html`<li>
<p>${title}</p>
<div class="command"><pre><code>${command}</code></pre><button type="button" hidden aria-label="Copy: ${title}">Copy</button></div>
</li>`

const renderToken = (tokenUrl: string) => html`<div class="token row">
<button type="button" class="primary" data-url="${tokenUrl}" hidden>Copy a demo token</button>
<p class="small muted">For Alice's demo account, valid for 15 minutes. Send it as a bearer token.</p>
<pre id="token-text" hidden></pre>
</div>`

const renderSteps = ({ baseUrl, tokenUrl }: SandboxAddresses) => {
  const request = 'curl -i -H "Authorization: Bearer $TOKEN" $BASE/v1'
  const token = tokenUrl === null ? 'YOUR_TOKEN' : '$(npm run -s token)'
  return html`<ol class="steps">
${renderCommand('In the project folder, set the base URL and a token', `BASE=${baseUrl}\nTOKEN=${token}`)}
${renderCommand('List libraries (native)', `${request}/libraries`)}
${renderCommand('List tracks (forwarded to the core)', `${request}/tracks`)}
${renderCommand('Create a track', `${request}/tracks \\\n  -d '{"title":"Night Drive","artist":"The Owls"}'`)}
</ol>
<p class="after">The response header <code>x-service-core-runtime</code> says which side served the request. The tour in <code>docs/tour.md</code> goes on from here: upload a file, play it, share it and buy a plan.</p>`
}

const listLinks = ({ consoleUrl }: SandboxAddresses): readonly HomeLink[] =>
  consoleUrl === null
    ? []
    : [
        {
          href: consoleUrl,
          name: 'Console',
          text: 'Move routes. Your token is in .data/operator-token.',
        },
      ]

export const createSandboxHomePage = (readAddresses: () => SandboxAddresses) =>
  createHomePage(() => {
    const addresses = readAddresses()
    const { tokenUrl } = addresses
    return {
      badge: 'sandbox',
      links: listLinks(addresses),
      body: html`<section class="try">
<h2>Try it</h2>
<p>Crossfade moves this API from a legacy core to native handlers, one route at a time. In this sandbox, native serves some routes and a small core serves the rest.</p>
${tokenUrl === null ? '' : renderToken(tokenUrl)}
${renderSteps(addresses)}
<p class="hidden" id="announcement" role="status"></p>
</section>`,
      style,
      script,
      origins: tokenUrl === null ? [] : [new URL(tokenUrl).origin],
    }
  })
