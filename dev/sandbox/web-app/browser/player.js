// Issuing a playback URL counts as a play. So the player reports only what the gateway cannot see: replays of a URL,
// progress and ends.
import { create } from './create.js'
import { formatWait, isPack, read, report } from './link.js'

const progressIntervalMs = 15_000

const icons = { Play: '\u25b6\ufe0e', Pause: '\u275a\u275a' }

export const setIcon = (button, action, { title }) => {
  button.textContent = icons[action]
  button.setAttribute('aria-label', `${action} ${title}`)
}

export const createPlayer = (tracks, list) => {
  const status = create('p', { role: 'status', className: 'small muted' })
  const audio = create('audio', { controls: true, preload: 'auto' })
  const player = create('div', { className: 'player', children: [audio, status] })
  const sources = new Map()
  let current = null
  let hasEnded = false
  let reportedAt = 0

  const position = () => ({
    positionMs: Math.round(audio.currentTime * 1000),
    ...(audio.duration > 0 &&
      Number.isFinite(audio.duration) && { durationMs: Math.round(audio.duration * 1000) }),
  })

  const fetchSource = async (track) => {
    const {
      status: code,
      body,
      retryAfter,
    } = await read(isPack ? `/tracks/${track.id}/playback-url` : '/playback-url')
    if (code === 200) return { url: body.url, expiresAt: Date.parse(body.expiresAt) }
    if (code === 429) throw new Error(`Too many requests. ${formatWait(retryAfter)}`)
    if (body.error === 'playback_not_found') throw new Error('This song has no audio yet.')
    if (code === 404 || code === 403) throw new Error('This link is no longer available.')
    throw new Error('The song could not be loaded. Try again.')
  }

  const mark = () => {
    for (const [index, item] of [...list.children].entries()) {
      const isCurrent = tracks[index] === current
      item.setAttribute('aria-current', isCurrent)
      setIcon(item.querySelector('button'), isCurrent && !audio.paused ? 'Pause' : 'Play', tracks[index])
    }
  }

  const start = async (track) => {
    const known = sources.get(track)
    const isFresh = known !== undefined && known.expiresAt > Date.now()
    current = track
    // The player moves to the song that is playing.
    list.children[tracks.indexOf(track)].append(player)
    audio.hidden = !audio.src
    status.textContent = isFresh ? '' : 'Loading the song...'
    try {
      const source = isFresh ? known : await fetchSource(track)
      sources.set(track, source)
      if (current !== track) return
      audio.hidden = false
      hasEnded = false
      audio.src = source.url
      await audio.play()
      status.textContent = `Playing ${track.title}`
      if (isFresh) report({ eventType: 'played', positionMs: 0 }, track)
    } catch (error) {
      if (current === track && error.name !== 'AbortError') status.textContent = error.message
      mark()
    }
  }

  audio.addEventListener('playing', mark)
  audio.addEventListener('pause', mark)
  audio.addEventListener('play', () => {
    // The audio element's own button restarts a song that has ended.
    if (hasEnded) report({ eventType: 'played', positionMs: 0 }, current)
    hasEnded = false
  })
  audio.addEventListener('timeupdate', () => {
    if (Date.now() - reportedAt < progressIntervalMs || audio.currentTime < 1) return
    reportedAt = Date.now()
    report({ eventType: 'progress', ...position() }, current)
  })
  audio.addEventListener('ended', () => {
    hasEnded = true
    report({ eventType: 'completed', ...position() }, current)
    mark()
    const next = tracks[tracks.indexOf(current) + 1]
    if (next) start(next)
    else status.textContent = ''
  })

  const toggle = (track) => {
    if (track !== current || hasEnded) start(track)
    else if (audio.paused) audio.play()
    else audio.pause()
  }
  return { toggle }
}
