"""A small library of operators as tensor expressions: `bb.emit_te(topi.matmul, a, b)`.

Functions from tensors of `te` to tensors of `te`. They are what the legal forms of the operators are made of.
"""

from __future__ import annotations

from relax_lang.topi.elements import add as add
from relax_lang.topi.elements import broadcast as broadcast
from relax_lang.topi.elements import cast as cast
from relax_lang.topi.elements import divide as divide
from relax_lang.topi.elements import exp as exp
from relax_lang.topi.elements import gelu as gelu
from relax_lang.topi.elements import gelu_tanh as gelu_tanh
from relax_lang.topi.elements import leaky_relu as leaky_relu
from relax_lang.topi.elements import maximum as maximum
from relax_lang.topi.elements import minimum as minimum
from relax_lang.topi.elements import multiply as multiply
from relax_lang.topi.elements import power as power
from relax_lang.topi.elements import relu as relu
from relax_lang.topi.elements import selu as selu
from relax_lang.topi.elements import sigmoid as sigmoid
from relax_lang.topi.elements import silu as silu
from relax_lang.topi.elements import softplus as softplus
from relax_lang.topi.elements import sqrt as sqrt
from relax_lang.topi.elements import subtract as subtract
from relax_lang.topi.elements import tanh as tanh
from relax_lang.topi.elements import where as where
from relax_lang.topi.moving import concatenate as concatenate
from relax_lang.topi.moving import cumulative as cumulative
from relax_lang.topi.moving import flip as flip
from relax_lang.topi.moving import one_hot as one_hot
from relax_lang.topi.moving import pad as pad
from relax_lang.topi.moving import reshape as reshape
from relax_lang.topi.moving import stack as stack
from relax_lang.topi.moving import take as take
from relax_lang.topi.moving import tile as tile
from relax_lang.topi.moving import transpose as transpose
from relax_lang.topi.reduction import argmax as argmax
from relax_lang.topi.reduction import layer_norm as layer_norm
from relax_lang.topi.reduction import matmul as matmul
from relax_lang.topi.reduction import max as max  # noqa: A004 - here and below: the usual names
from relax_lang.topi.reduction import mean as mean
from relax_lang.topi.reduction import min as min  # noqa: A004
from relax_lang.topi.reduction import prod as prod
from relax_lang.topi.reduction import rms_norm as rms_norm
from relax_lang.topi.reduction import softmax as softmax
from relax_lang.topi.reduction import sum as sum  # noqa: A004
from relax_lang.topi.reduction import variance as variance
from relax_lang.topi.windows import adaptive_average as adaptive_average
from relax_lang.topi.windows import conv as conv
from relax_lang.topi.windows import conv_transpose as conv_transpose
from relax_lang.topi.windows import pool as pool
