"use strict";
// Binds the data of a report to the page: the report decides what is shown, and this draws it.

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const number = value => value === null ? "" : value >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3)
  ? value.toExponential(3) : String(Number(value.toPrecision(4)));
const time = ns => !ns ? "" : ns < 1e3 ? number(ns) + " ns" : ns < 1e6 ? number(ns / 1e3) + " us"
  : ns < 1e9 ? number(ns / 1e6) + " ms" : number(ns / 1e9) + " s";

async function read(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), c => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/// Undoes the encoding of the columns.
function decode(trials) {
  for (const name of ["id", "session", "deciseconds", "number"]) {
    let sum = 0;
    trials[name] = trials[name].map(step => sum += step);
  }
  trials.seconds = trials.deciseconds.map(tenths => tenths / 10);
  trials.config = row => trials.knobs.filter(k => k.space === trials.space[row] && k.value[row] >= 0)
    .map(k => k.knob + "=" + k.values[k.value[row]]).join(" ");
  return trials;
}

// Charts

const kDark = matchMedia("(prefers-color-scheme: dark)");
const colour = i => (kDark.matches ? ["#6db1ff", "#ff9a5c", "#5fd097", "#cf9bea", "#f287b7", "#c9c95e", "#7fd0e3", "#d3a283"]
  : ["#1f66b8", "#c4551d", "#23804e", "#8a47a6", "#a33a6d", "#6d6d1f", "#3b7f90", "#7d4e32"])[i % 8];
const kShapes = ["circle", "triangle", "rect", "crossRot", "rectRot", "star", "cross", "dash"];
const kDashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

/// Draws what Chart.js has no marks for: dots, which are too many for it, as squares, and intervals as whiskers.
const dotsAndWhiskers = {
  id: "dotsAndWhiskers",
  beforeDatasetsDraw(chart) {
    const { ctx, scales: { x, y }, chartArea: area } = chart;
    const line = (...ends) => {
      ctx.beginPath();
      for (const [across, up] of ends) ctx.lineTo(x.getPixelForValue(across), y.getPixelForValue(up));
      ctx.stroke();
    };
    ctx.save();
    ctx.beginPath();
    ctx.rect(area.left, area.top, area.width, area.height);
    ctx.clip();
    chart.data.datasets.filter((_, index) => chart.isDatasetVisible(index)).forEach(set => {
      Object.assign(ctx, { fillStyle: set.backgroundColor, strokeStyle: set.borderColor, lineWidth: 1 });
      const size = set.dots?.x.length > 5000 ? 2 : 3;
      set.dots?.x.forEach((across, i) => ctx.fillRect(
        x.getPixelForValue(across) - size / 2, y.getPixelForValue(set.dots.y[i]) - size / 2, size, size));
      set.ends?.low.forEach((low, i) => {
        const high = set.ends.high[i], at = set.data[i];
        if (low === null || high === null) return;
        if (set.ends.sideways) line([low, at.y], [high, at.y]);
        else line([at.x, low], [at.x, high]);
      });
    });
    ctx.restore();
  }
};

/// The trials of a series as columns of numbers; those on a category are spread over it.
function trialDots(series, trials) {
  const columnOf = name => name.startsWith("knob:") ? trials.knobs[Number(name.slice(5))].value : trials[name];
  const x = columnOf(series.x), y = columnOf(series.y), isCategory = series.x.startsWith("knob:");
  const rows = [...trials.id.keys()].filter(row => trials.timed[row] && x[row] >= 0 && y[row] > 0 &&
    (!series.session || trials.session[row] === series.session));
  return { x: rows.map(row => x[row] + (isCategory ? (row * 0.618034) % 1 * 0.5 - 0.25 : 0)), y: rows.map(row => y[row]) };
}

/// Categories on the vertical axis begin at the top.
function axis(spec, values, isDown, isBar) {
  const options = { type: spec.log ? "logarithmic" : "linear", grid: { color: style("--line") },
                    ticks: { color: style("--faint"), maxRotation: 60 },
                    title: { display: spec.label !== "", text: spec.label, color: style("--faint") } };
  if (spec.categories.length) {
    Object.assign(options, { min: -0.6, max: spec.categories.length - 0.4, reverse: isDown });
    options.ticks = { ...options.ticks, stepSize: 1, autoSkip: spec.categories.length > 40,
                      callback: value => (spec.categories[value] ?? "").slice(0, 28) };
    options.afterBuildTicks = scale => { scale.ticks = spec.categories.map((_, value) => ({ value })); };
  } else {
    options.ticks.callback = (value, index, ticks) => {
      // On a logarithmic axis powers of ten; 1, 2 and 5; or what is round, as its ends need not be.
      const kRound = /^\d(\.\d)?e/;
      const isRound = tick => kRound.test(tick.value.toExponential());
      const digits = ticks.length > 40 ? /^1e/ : ticks.length > 6 ? /^[125](e|\.0)/
        : ticks.filter(isRound).length > 1 ? kRound : /./;
      return spec.log && !digits.test(value.toExponential()) ? null : spec.time ? time(value)
        : value >= 1e5 ? value.toExponential() : number(value);
    };
    // Chart.js does not know the dots and the ends of whiskers. They are too many for the arguments of Math.min.
    const known = values.filter(value => value !== null && (value > 0 || !spec.log));
    if (known.length) {
      const low = known.reduce((a, b) => Math.min(a, b)), high = known.reduce((a, b) => Math.max(a, b));
      Object.assign(options, spec.log ? { min: isBar ? Math.min(0.8, low) : low * 0.9, max: high * 1.1 }
        : { suggestedMin: low, suggestedMax: high });
    }
  }
  return options;
}

function draw(canvas, spec, trials) {
  const sets = spec.trials.map(series => ({ label: series.name, data: [], dots: trialDots(series, trials) }));
  for (const series of spec.series) {
    const set = { label: series.name, labels: series.labels, data: series.x.map((x, i) => ({ x, y: series.y[i] })) };
    if (series.low.length) set.ends = { low: series.low, high: series.high, sideways: spec.sideways };
    if (series.mark === "dots") Object.assign(set, { data: [], dots: { x: series.x, y: series.y } });
    if (series.mark === "bars") Object.assign(set, { type: "bar", barPercentage: 0.8 });
    if (series.mark === "steps") set.stepped = "before";
    set.showLine = series.mark === "line" || series.mark === "steps";
    set.pointRadius = set.showLine && series.x.length > 60 ? 0 : 4;
    sets.push(set);
  }
  sets.forEach((set, i) => Object.assign(set, {
    borderColor: colour(i), backgroundColor: colour(i) + (set.type ? "90" : set.dots ? "c0" : ""),
    pointStyle: kShapes[i % 8], borderDash: kDashes[i % 4], borderWidth: 1.5, pointBorderWidth: 1.5 }));
  const all = key => sets.flatMap(set => [...(set.dots?.[key] ?? []), ...set.data.map(point => point[key]),
    ...(set.ends && spec.sideways === (key === "x") ? [...set.ends.low, ...set.ends.high] : [])]);
  const isBar = sets.some(set => set.type === "bar");
  const label = item => {
    const set = item.dataset, extra = set.labels?.[item.dataIndex];
    const shown = (value, axis) => axis.categories[value] ?? (axis.time ? time(value) : number(value));
    return `${set.label}: ${shown(item.parsed.x, spec.x)}, ${shown(item.parsed.y, spec.y)}${extra ? ": " + extra : ""}`;
  };
  return new Chart(canvas, {
    type: isBar ? "bar" : "scatter", data: { datasets: sets }, plugins: [dotsAndWhiskers],
    options: { animation: false, responsive: true, maintainAspectRatio: false, indexAxis: isBar ? "y" : "x", normalized: true,
               scales: { x: axis(spec.x, all("x"), false, isBar), y: axis(spec.y, all("y"), true, false) },
               plugins: { tooltip: { callbacks: { label, title: () => "" } },
                          legend: { display: sets.length > 1, labels: { color: style("--text"), usePointStyle: true } } } } });
}

// Tables

function table(spec) {
  const isNumber = text => /^(about )?[-+]?[\d.]*(e[-+]\d+)?( ?(%|[num]?s|GFLOP\/s|GB\/s|x))?$/.test(text);
  const numeric = spec.headings.map((_, c) => spec.rows.some(row => row[c] !== "") && spec.rows.every(row => isNumber(row[c])));
  const cell = (tag, text, c, shade) => {
    const made = element(tag, { className: numeric[c] ? "number" : text.length > 60 ? "text long" : "text" }, text);
    if (shade > 0) made.style.background = `rgb(${style("--shade")} / ${0.6 * shade})`;
    return made;
  };
  return element("div", { className: "scroll", tabIndex: 0 }, element("table", {},
    element("thead", {}, element("tr", {}, ...spec.headings.map((text, c) => cell("th", text, c)))),
    element("tbody", {}, ...spec.rows.map((row, r) =>
      element("tr", {}, ...row.map((text, c) => cell("td", text, c, spec.shades[r]?.[c])))))));
}

/// A word of a shell command.
const quoted = text => "'" + text.replaceAll("'", "'\\''") + "'";
/// What makes an element act on a click, and on the key Enter.
const acts = action => ({ tabIndex: 0, onclick: action, onkeydown: event => event.key === "Enter" && action() });

/// All trials: sorted by a click on a heading, filtered by words, and only the visible rows are in the page.
function trialTable(task, names) {
  const trials = task.trials, count = trials.id.length, kHeight = 27;
  const outcome = row => [names.outcomes[trials.outcome[row]],
    ...names.flags.filter(flag => trials.flags[row] & flag.bit).map(flag => flag.name)].join(", ");
  const columns = [["trial", 80, row => trials.id[row]], ["session", 80, row => trials.session[row]],
    ["seconds", 80, row => trials.seconds[row]], ["time", 100, row => trials.time[row] || Infinity, row => time(trials.time[row])],
    ["interval", 130, row => trials.below[row] + trials.above[row],
     row => trials.time[row] ? `-${trials.below[row] / 10} +${trials.above[row] / 10}%` : ""],
    ["outcome", 130, outcome], ["proposed by", 110, row => trials.origins[trials.origin[row]]],
    ["template", 130, row => trials.spaces[trials.space[row]]],
    ["configuration", 620, row => trials.config(row)], ["message", 420, row => trials.messages[trials.message[row]]]];
  const text = (row, c) => String((columns[c][3] ?? columns[c][2])(row));
  const body = element("tbody"), shown = element("span", { id: "shown" }), chosen = element("pre", { hidden: true });
  const box = element("div", { id: "trials", className: "scroll", tabIndex: 0 }), filter = element("input", { id: "filter",
    type: "search", size: 34, placeholder: "words, all of which a row has", ariaLabel: "filter the trials" });
  let rows = [...Array(count).keys()], order = { column: 0, sign: 1 }, words = null;
  const paint = () => {
    const first = Math.max(0, Math.floor(box.scrollTop / kHeight) - 5), last = Math.min(rows.length, first + 40);
    const space = height => element("tr", { className: "space" }, element("td", { colSpan: columns.length, style: `height:${height}px` }));
    body.replaceChildren(space(first * kHeight), ...rows.slice(first, last).map(row => element("tr", acts(() => choose(row)),
      ...columns.map((_, c) => element("td", { title: text(row, c), className: c < 5 ? "number" : "" }, text(row, c))))),
      space((rows.length - last) * kHeight));
  };
  const choose = row => {
    chosen.hidden = false;
    chosen.textContent = `trial ${trials.id[row]}: ${outcome(row)} ${time(trials.time[row])}\n${trials.config(row)}\n` +
      (task.measure ? `${task.measure} --template ${quoted(trials.spaces[trials.space[row]])} --config ${quoted(trials.config(row))}\n` : "") + trials.messages[trials.message[row]];
  };
  const arrange = () => {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(word => word);
    if (wanted.length) words ??= Array.from({ length: count }, (_, row) => columns.map((_, c) => text(row, c)).join(" ").toLowerCase());
    rows = [...Array(count).keys()].filter(row => wanted.every(word => words[row].includes(word)));
    const keys = Array.from({ length: count }, (_, row) => columns[order.column][2](row));
    rows.sort((a, b) => order.sign * (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0) || a - b);
    [...head.cells].forEach((cell, c) => cell.ariaSort = c !== order.column ? "none" : order.sign > 0 ? "ascending" : "descending");
    shown.textContent = ` ${rows.length} of ${count} trials`;
    box.scrollTop = 0;
    paint();
  };
  const head = element("tr", {}, ...columns.map(([name, width], c) => element("th", { textContent: name, style: `width:${width}px`,
    title: "sort", ...acts(() => { order = { column: c, sign: order.column === c ? -order.sign : 1 }; arrange(); }) })));
  filter.oninput = arrange;
  box.onscroll = paint;
  box.append(element("table", { style: `width:${columns.reduce((sum, column) => sum + column[1], 0)}px` },
    element("thead", {}, head), body));
  arrange();
  return element("div", {}, element("p", {}, task.kept), filter, shown, box, chosen);
}

// The page

const kWhenSeen = new IntersectionObserver(entries => entries.filter(e => e.isIntersecting).forEach(({ target }) => {
  kWhenSeen.unobserve(target);
  target.drawn = draw(target.querySelector("canvas"), target.spec, target.trials);
}), { rootMargin: "200px" });

function picture(spec, trials) {
  const most = Math.max(spec.y.categories.length * 24 + 90, 300);
  const canvas = element("canvas", { role: "img", ariaLabel: spec.title + ". " + spec.note });
  const box = element("div", { className: "canvas", style: `height:${Math.min(most, 1200)}px`, spec, trials }, canvas);
  kWhenSeen.observe(box);
  return box;
}

function sections(specs, task, names) {
  const head = (tag, { title, note }) => [element(tag, {}, title), element("p", {}, note)];
  return specs.map(spec => element("section", {}, ...head("h2", spec),
    element("div", { className: "charts" }, ...spec.charts.map(chart =>
      element("div", { className: "chart" }, ...head("h3", chart), picture(chart, task?.trials)))),
    ...spec.tables.flatMap(t => [...head("h3", t), table(t)]),
    ...spec.texts.flatMap(t => [...head("h3", t), element("div", { className: "scroll" }, element("pre", {}, t.text))]),
    ...(spec.trials ? [trialTable(task, names)] : [])));
}

async function show() {
  const data = await read("data"), main = document.getElementById("page"), place = element("div");
  const choice = element("select", { id: "task", ariaLabel: "task" }, ...data.tasks.map((task, i) => new Option(task.name, i)));
  const choose = () => {
    const task = data.tasks[choice.value];
    if (task && !task.trials.config) decode(task.trials);
    place.replaceChildren(...(task ? sections(task.sections, task, data.names) : []));
  };
  const redraw = () => {
    main.replaceChildren(element("h1", {}, data.title), element("p", {}, data.subtitle),
      ...sections(data.sections, null, data.names), ...(data.tasks.length > 1 ? [choice] : []), place);
    choose();
    document.body.dataset.drawn = kDark.matches ? "dark" : "light";
  };
  choice.onchange = choose;
  kDark.addEventListener("change", redraw);
  redraw();
}
show().catch(error => {
  document.getElementById("page").textContent = "This browser cannot draw the report: " + error.message;
  throw error;
});
