// What both pages do: the settings, the person's choice, and a panel that shows all that is kept and sent.

/** Starts the page, with the schema and the library, however that was loaded. */
globalThis.startPage = (schema, { createTelemetry, ledger, preview }) => {
  const element = (id) => document.getElementById(id);
  const { collector } = document.documentElement.dataset;
  const NAMES = { darkMode: 'Dark mode', plan: 'Plan', favouriteWord: 'Favourite word' };
  const RESULTS = {
    recorded: 'randomized, and waiting to be sent',
    'already-answered': 'answered before: the next answer waits for its day',
    'over-budget': 'the budget of this month is spent',
    'no-consent': 'not recorded: you have not agreed',
    'storage-failed': 'not recorded: this browser stores nothing',
    'third-party': 'not recorded: another site frames this page',
    'storage-reset': 'what was stored is gone or can not be read: every question counts as answered',
    delivered: 'delivered',
    refused: 'refused by the collector',
    retired: 'not recorded: this question has ended',
    expired: 'too old to be sent',
  };
  const STATES = {
    unknown: '',
    ask: 'You have not decided. Until you do, nothing is stored and nothing is sent.',
    granted: 'You share randomized answers.',
    denied: 'You do not share. What waited to be sent is erased; what was spent stays on the ledger.',
  };
  let sent = []; // the last batches that were shown, once they have left

  const telemetry = createTelemetry({
    schema,
    endpoint: collector,
    onOutcome: ({ metric, result }) => {
      const line = document.createElement('li');
      const name = document.createElement('strong');
      name.textContent = NAMES[metric] ?? 'Telemetry';
      line.append(name, ` ${RESULTS[result] ?? result}`);
      line.dataset.result = result;
      element('outcomes').prepend(line);
      element('no-outcomes').hidden = true;
      refresh();
    },
  });

  const fill = (list, rows) => {
    list.replaceChildren(
      ...rows.flatMap(([term, text]) => {
        const [dt, dd] = [document.createElement('dt'), document.createElement('dd')];
        [dt.textContent, dd.textContent] = [term, text];
        return [dt, dd];
      }),
    );
  };

  /** The batches that wait, or those that went last. */
  const showBatches = (waiting) => {
    if (waiting.length > 0) sent = waiting;
    if (telemetry.consent.state === 'denied') sent = [];
    const state =
      waiting.length > 0
        ? 'These bytes wait to be sent:'
        : sent.length > 0
          ? 'These bytes were sent:'
          : 'Nothing yet. If you share and save, the very bytes stand here before they go.';
    element('sent-state').textContent = state;
    fill(
      element('reports'),
      sent.flatMap(({ reports }) => reports.map(({ metric, meaning }) => [NAMES[metric] ?? metric, meaning])),
    );
    element('bytes').textContent = sent.map(({ body }) => body).join('\n');
    element('bytes').hidden = sent.length === 0;
    element('send').hidden = waiting.length === 0;
  };

  const showLedger = ({ budget: { epsilon, per }, spent, left, today, metrics }) => {
    element('ledger-state').textContent = `ε ${spent} of ${epsilon} spent in this ${per}, ${left} left.`;
    element('spent').value = spent / epsilon;
    fill(
      element('ledger'),
      metrics.map(({ metric, spent: used, nextDay }) => [
        NAMES[metric] ?? metric,
        `ε ${used}, ${nextDay === today ? 'can be answered' : `next answer on ${nextDay}`}`,
      ]),
    );
  };

  const refresh = async () => {
    const [waiting, account] = await Promise.all([preview(telemetry), ledger(telemetry)]);
    const { state } = telemetry.consent; // known once the storage has been read, as it has been now
    element('consent').dataset.state = state;
    element('consent-state').textContent = STATES[state];
    element('grant').setAttribute('aria-pressed', String(state === 'granted'));
    element('deny').setAttribute('aria-pressed', String(state === 'denied'));
    showBatches(waiting);
    showLedger(account);
  };

  element('dark').checked = matchMedia('(prefers-color-scheme: dark)').matches;
  element('dark').addEventListener('change', ({ target }) => {
    document.documentElement.dataset.theme = target.checked ? 'dark' : 'light';
  });
  element('settings').addEventListener('submit', (event) => {
    event.preventDefault();
    telemetry.record('darkMode', element('dark').checked);
    telemetry.record('plan', document.querySelector('input[name=plan]:checked').value);
    telemetry.record('favouriteWord', element('word').value);
  });
  element('grant').addEventListener('click', () => {
    telemetry.consent.grant();
    refresh();
  });
  element('deny').addEventListener('click', () => {
    telemetry.consent.deny();
    refresh();
  });
  element('send').addEventListener('click', () => telemetry.flush());
  element('collector').textContent = collector;
  refresh();
};
