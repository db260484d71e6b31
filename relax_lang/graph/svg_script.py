"""The style and the script of the SVG: folding blocks, lines to PrimFuncs, zoom, search."""

from __future__ import annotations

from relax_lang.graph.routing import CORNER, PORT

STYLE = """
text { font: 11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1f2933; }
#ground { fill: #ffffff; }
.top { font-size: 14px; font-weight: bold; }
.frame { fill: #f7f9fb; stroke: #c5ced8; }
.head { font-weight: bold; }
.panel { fill: #ffffff; stroke: #d5dce4; }
.bar { fill: #e8edf2; }
.fold { cursor: pointer; }
.folded > .content { display: none; }
.title { fill: #52606d; }
.node > rect { stroke: #9aa5b1; fill: #ffffff; }
.node .name { font-weight: bold; }
.node .info { fill: #52606d; font-size: 10px; }
.key > rect { stroke: #9aa5b1; fill: #ffffff; }
.input > rect { fill: #eef2f6; stroke-dasharray: 3 2; }
.result > rect { fill: #d9e2ec; }
.operator > rect { fill: #e3f4e8; }
.call > rect { fill: #e4ecfb; }
.packed > rect { fill: #fbeee0; }
.prim_func > rect, .prim > rect { fill: #efe6fa; stroke: #9b7fc7; }
.control > rect { fill: #fdf6cf; }
.edge { fill: none; stroke: #7b8794; stroke-opacity: 0.65; }
.wire { fill: none; stroke: #9b7fc7; stroke-dasharray: 5 3; stroke-opacity: 0.7; }
.link { fill: none; stroke: #486581; stroke-dasharray: 2 3; stroke-opacity: 0.55; }
.found > rect { stroke: #d64545; stroke-width: 3; }
#search input { width: 240px; font: 13px sans-serif; padding: 4px 8px; border: 1px solid #9aa5b1; border-radius: 6px; }
"""

_SCRIPT = """
(function () {
  var scene = document.getElementById("scene"), svg = scene.ownerSVGElement;  // a page may hold it
  var blocks = scene.querySelectorAll(".block"), functions = scene.querySelectorAll(".function");
  function place(g) { return g.transform.baseVal.getItem(0).matrix; }
  function height(block) { return block.classList.contains("folded") ? 22 : +block.dataset.open; }
  function stack() {
    var top = functions.length ? place(functions[0]).f : 0;
    functions.forEach(function (f) {
      var y = 32;
      f.querySelectorAll(".block").forEach(function (b) {
        var h = height(b);
        place(b).f = y;
        b.querySelector(".panel").setAttribute("height", h);
        b.querySelector(".mark").textContent = b.classList.contains("folded") ? "\\u25b8" : "\\u25be";
        y += h + 10;
      });
      f.querySelector(".frame").setAttribute("height", y);
      place(f).f = top;
      top += y + 18;
    });
    lines();
  }
  function box(g) {
    var b = g.querySelector("rect").getBBox(), from = g.getCTM(), to = scene.getCTM().inverse().multiply(from);
    return { left: to.e, right: to.e + b.width * to.a, y: to.f + b.height / 2 * to.d, half: b.height / 2 * to.d };
  }
  function end(name) {
    var node = document.getElementById(name), block = node.closest(".block");
    if (!block || !block.classList.contains("folded")) { return box(node); }
    var f = place(block.closest(".function")), b = place(block), left = f.e + b.e;
    return { left: left, right: left + block.querySelector(".panel").getBBox().width, y: f.f + b.f + 11, folded: 1 };
  }
  function leave(at, x, side, down) {
    if (at.folded) { return [[side, at.y]]; }
    return [[x, at.y + (down > 0 ? at.half : -at.half)], [x, at.y + down]];
  }
  function towards(corner, other) {
    var dx = other[0] - corner[0], dy = other[1] - corner[1], length = Math.abs(dx) + Math.abs(dy);
    var share = Math.min(@CORNER@, length / 2) / length;
    return [corner[0] + dx * share, corner[1] + dy * share];
  }
  function rounded(points) {
    points = points.filter(function (p, i) { return !i || p[0] != points[i - 1][0] || p[1] != points[i - 1][1]; });
    var d = "M" + points[0];
    for (var i = 1; i + 1 < points.length; i++) {
      d += "L" + towards(points[i], points[i - 1]) + "Q" + points[i] + " " + towards(points[i], points[i + 1]);
    }
    return d + "L" + points[points.length - 1];
  }
  function lines() {
    document.querySelectorAll("#links .link, #wires .wire").forEach(function (path) {
      var wire = path.classList.contains("wire"), data = path.dataset, lane = +data.lane;
      var a = end(data.from), b = end(data.to);
      var points = leave(a, wire ? a.right - @PORT@ : a.left + @PORT@, wire ? a.right : a.left, +data.down);
      points.push([lane, points[points.length - 1][1]]);
      var enter = wire ? [[b.left, b.y]] : leave(b, b.left + @PORT@, b.left, -data.up);
      points.push([lane, enter[enter.length - 1][1]]);
      path.setAttribute("d", rounded(points.concat(enter.reverse())));
    });
  }
  blocks.forEach(function (b) {
    b.querySelector(".fold").addEventListener("click", function () { b.classList.toggle("folded"); stack(); });
  });
  var view = svg.viewBox.baseVal, input = document.querySelector("#search input");
  document.getElementById("search").removeAttribute("display");
  svg.setAttribute("width", "100%"); svg.setAttribute("height", "100%");
  function size() { return svg.getBoundingClientRect(); }
  function pin() {
    var scale = view.width / (size().width || view.width), holder = document.getElementById("search");
    holder.setAttribute("transform", "translate(" + view.x + "," + view.y + ") scale(" + scale + ")");
    ["x", "y"].forEach(function (k) { document.getElementById("ground").setAttribute(k, view[k]); });
  }
  svg.addEventListener("wheel", function (e) {
    e.preventDefault();
    var k = Math.exp(e.deltaY * 0.0015), r = size();
    var x = view.x + (e.clientX - r.left) / r.width * view.width;
    var y = view.y + (e.clientY - r.top) / r.height * view.height;
    view.x = x - (x - view.x) * k; view.y = y - (y - view.y) * k; view.width *= k; view.height *= k;
    pin();
  }, { passive: false });
  var drag = null;
  svg.addEventListener("pointerdown", function (e) {
    if (!e.target.closest(".fold, #search")) { drag = { x: e.clientX, y: e.clientY }; }
  });
  svg.addEventListener("pointermove", function (e) {
    if (!drag) { return; }
    var scale = view.width / (size().width || view.width);
    view.x -= (e.clientX - drag.x) * scale; view.y -= (e.clientY - drag.y) * scale;
    drag = { x: e.clientX, y: e.clientY };
    pin();
  });
  ["pointerup", "pointerleave"].forEach(function (k) { svg.addEventListener(k, function () { drag = null; }); });
  input.addEventListener("input", function () {
    var word = input.value.trim().toLowerCase(), first = null;
    scene.querySelectorAll(".node, .prim").forEach(function (n) {
      var hit = word && n.dataset.text.indexOf(word) >= 0;
      n.classList.toggle("found", !!hit);
      if (hit && !first) { first = n; }
    });
    if (!first) { return; }
    var block = first.closest(".block");
    if (block && block.classList.contains("folded")) { block.classList.remove("folded"); stack(); }
    var at = box(first);
    view.x = (at.left + at.right) / 2 - view.width / 2; view.y = at.y - view.height / 2;
    pin();
  });
  function shape() {
    var r = size();
    if (r.width && r.height) { view.height = view.width * r.height / r.width; }
    pin();
  }
  window.addEventListener("resize", shape);
  stack();
  if (size().width) { view.width = Math.min(Math.max(view.width, size().width), 2 * size().width); }
  shape();
  view.y = -44 * view.width / (size().width || view.width);
  pin();
})();
"""

SCRIPT = _SCRIPT.replace("@CORNER@", str(CORNER)).replace("@PORT@", str(PORT))
