import { create } from './create.js'
import { formatWait, hasAccessCode, isPack, read, root, setAccessCode } from './link.js'
import { createPlayer, setIcon } from './player.js'

const show = (...children) => {
  root.removeAttribute('aria-busy')
  root.replaceChildren(...children)
}

const formatDuration = (durationMs) => {
  if (durationMs === null) return ''
  const seconds = Math.round(durationMs / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const showMessage = (title, ...lines) =>
  show(create('h1', { text: title }), ...lines.map((text) => create('p', { text, role: 'status' })))

const showRetry = (title, line) => {
  const retry = create('button', { text: 'Try again', className: 'primary', onclick: load })
  show(create('h1', { text: title }), create('p', { text: line, role: 'alert' }), retry)
}

const showCodeForm = (problem) => {
  const input = create('input', { id: 'code', autocomplete: 'off', required: true, maxLength: 64 })
  const alert = create('p', { text: problem, id: 'problem', role: 'alert', className: 'notice bad' })
  if (problem) input.setAttribute('aria-describedby', 'problem')
  const form = create('form', {
    className: 'panel',
    children: [
      create('label', { text: 'Access code', htmlFor: 'code' }),
      create('div', {
        className: 'row',
        children: [input, create('button', { text: 'Open', className: 'primary' })],
      }),
    ],
    onsubmit: (event) => {
      event.preventDefault()
      setAccessCode(input.value)
      load()
    },
  })
  show(
    create('h1', { text: 'This pack is protected' }),
    create('p', { text: 'The person who shared it can tell you its access code.' }),
    ...(problem ? [alert] : []),
    form,
  )
  input.focus()
}

const createCover = ({ title, lines, artworkUrl }) =>
  create('div', {
    className: 'cover',
    children: [
      artworkUrl
        ? create('img', { src: artworkUrl, alt: '' })
        : create('div', { className: 'blank', text: '\u266b', ariaHidden: 'true' }),
      create('div', {
        children: [
          create('h1', { text: title }),
          ...lines.filter(Boolean).map((text) => create('p', { text, className: 'muted' })),
        ],
      }),
    ],
  })

const showTracks = (cover, tracks) => {
  document.title = `${cover.title} - shared with you`
  const list = create('ol', { className: 'tracks' })
  const player = createPlayer(tracks, list)
  for (const track of tracks) {
    const button = create('button', { className: 'icon', onclick: () => player.toggle(track) })
    setIcon(button, 'Play', track)
    const name = create('span', {
      children: [
        create('strong', { text: track.title }),
        create('small', { text: track.artist, className: 'muted' }),
      ],
    })
    const duration = create('span', { text: formatDuration(track.durationMs), className: 'number muted' })
    list.append(create('li', { children: [button, name, duration] }))
  }
  const empty = create('div', { className: 'empty', text: 'This pack has no songs yet.' })
  show(createCover(cover), tracks.length > 0 ? list : empty)
}

const formatExpiry = ({ expiresAt }) =>
  expiresAt === null
    ? ''
    : `Available until ${new Date(expiresAt).toLocaleDateString('en', { dateStyle: 'long' })}`

const showPack = ({ link, pack, tracks }) => {
  const count = `${pack.trackCount} ${pack.trackCount === 1 ? 'song' : 'songs'}`
  const lines = [
    pack.ownerDisplayName === null ? '' : `Shared by ${pack.ownerDisplayName}`,
    pack.description ?? '',
    count,
    formatExpiry(link),
  ]
  // Packs have no artwork of their own.
  const artworkUrl = tracks.find((track) => track.artworkUrl !== null)?.artworkUrl
  showTracks({ title: pack.name, artworkUrl, lines }, tracks)
}

const showTrack = ({ link, track }) =>
  showTracks(
    {
      title: track.title,
      artworkUrl: track.artworkUrl,
      lines: [track.artist, track.releaseDate, formatExpiry(link)],
    },
    [track],
  )

const showProblem = ({ status, body, retryAfter }) => {
  if (body.error === 'access_code_required')
    return showCodeForm(hasAccessCode() ? 'This access code is wrong.' : '')
  if (status === 429 && hasAccessCode()) return showRetry('Too many attempts', formatWait(retryAfter))
  if (status === 429) return showRetry('Too many requests', formatWait(retryAfter))
  if (status === 404)
    return showMessage(
      'This link is not available',
      'It has expired, was revoked or replaced, or its address is incomplete.',
      'Ask the person who shared it for a new one.',
    )
  return showRetry('Something went wrong', 'The page could not be loaded.')
}

async function load() {
  root.setAttribute('aria-busy', 'true')
  try {
    const result = await read('')
    if (result.status !== 200) return showProblem(result)
    if (isPack) showPack(result.body)
    else showTrack(result.body)
  } catch {
    showRetry('No connection', 'The service cannot be reached.')
  }
}

load()
